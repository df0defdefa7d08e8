#include "gateway/responses/kept_response.h"

#include "base/concat.h"
#include "base/json.h"
#include "dialect/event_splitter.h"
#include "dialect/json_slices.h"
#include "net/http.h"

namespace brigada {

namespace {

std::string_view trimmed(std::string_view text) {
    const size_t from = text.find_first_not_of(kJsonBlanks);
    if (from == text.npos) return {};
    return text.substr(from, text.find_last_not_of(kJsonBlanks) + 1 - from);
}

/// What stands between the brackets.
std::string_view inside(std::string_view array) {
    array = trimmed(array);
    if (!array.starts_with('[') || !array.ends_with(']')) return {};
    return trimmed(array.substr(1, array.size() - 2));
}

std::string joined_items(std::initializer_list<std::string_view> arrays) {
    std::string out = "[";
    for (const std::string_view array : arrays) {
        const std::string_view items = inside(array);
        if (items.empty()) continue;
        if (out.size() > 1) out += ',';
        out += items;
    }
    return out += ']';
}

}  // namespace

std::string kept_key(std::string_view tenant, std::string_view response_id) {
    return concat(tenant, "\n", response_id);  // no tenant's name has line ends
}

std::string input_items(std::string_view input) {
    input = trimmed(input);
    if (input.starts_with('[')) return std::string(input);
    if (!input.starts_with('"')) return "[]";
    return concat(R"([{"type":"message","role":"user","content":)", input, "}]");
}

std::optional<std::string> finished_response(std::string_view answer, bool stream) {
    if (!stream) return std::string(answer);
    EventSplitter splitter;
    const auto events = splitter.feed(answer);
    if (!events.ok()) return std::nullopt;
    SliceDocument document;
    std::string joined;
    std::optional<std::string> last;
    for (const std::string_view event : *events) {
        const auto top = document.parse(event_data(event, joined));
        const RawJson response = top.ok() ? top->raw_object("response") : RawJson();
        if (!response.empty()) last = response.text;
    }
    return last;
}

std::string response_id(std::string_view response) {
    SliceDocument document;
    const auto top = document.parse(response);
    return top.ok() ? std::string(top->text("id").raw) : std::string();
}

std::string continued(std::string_view body, const CallBody& read, const KeptResponse& previous) {
    const std::string_view own = read.prompt[kInputField];
    SliceDocument document;
    const auto answered = document.parse(previous.response);
    const RawJson output = answered.ok() ? answered->raw_array("output") : RawJson();
    const std::string items = joined_items({previous.input, output.text, input_items(own)});
    std::vector<Splice> splices = {*read.previous_cut};
    if (own.empty())
        splices.push_back({.at = body.find('{') + 1, .text = concat(R"("input":)", items, ",")});
    else
        splices.push_back({.at = static_cast<size_t>(own.data() - body.data()),
                           .size = own.size(),
                           .text = items});
    put_in_order(splices);
    std::string out;
    out.reserve(body.size() + items.size() + kBodyPadding);
    for (const std::string_view piece : spliced(body, splices))
        out += piece;
    out.reserve(out.size() + kBodyPadding);
    return out;
}

}  // namespace brigada
