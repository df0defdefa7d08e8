#include "gateway/responses/kept_response.h"

#include <simdjson.h>

#include <algorithm>

#include "base/concat.h"
#include "dialect/event_splitter.h"
#include "gateway/raw_json.h"
#include "net/http.h"

namespace brigada {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const size_t from = text.find_first_not_of(kBlanks);
    if (from == text.npos) return {};
    return text.substr(from, text.find_last_not_of(kBlanks) + 1 - from);
}

/// A field of a JSON object, as its bytes; "" when it is not there. `json` need not be padded.
std::string field(std::string_view json, std::string_view name) {
    const simdjson::padded_string padded(json);
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    simdjson::ondemand::object object;
    simdjson::ondemand::value value;
    if (parser.iterate(padded).get(document) || document.get_object().get(object) ||
        object.find_field_unordered(name).get(value))
        return {};
    return std::string(raw_json(value));
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
    std::string joined, last;
    for (const std::string_view event : *events)
        if (std::string response = field(event_data(event, joined), "response"); !response.empty())
            last = std::move(response);
    return last.empty() ? std::nullopt : std::optional(std::move(last));
}

std::string response_id(std::string_view response) {
    const std::string quoted = field(response, "id");
    if (!quoted.starts_with('"')) return {};
    return quoted.substr(1, quoted.size() - 2);
}

std::string continued(std::string_view body, const CallBody& read, const KeptResponse& previous) {
    const std::string_view own = read.prompt[kInputField];
    const std::string items =
        joined_items({previous.input, field(previous.response, "output"), input_items(own)});
    std::vector<Splice> splices = {*read.previous_cut};
    if (own.empty())
        splices.push_back({.at = body.find('{') + 1, .text = concat(R"("input":)", items, ",")});
    else
        splices.push_back({.at = static_cast<size_t>(own.data() - body.data()),
                           .size = own.size(),
                           .text = items});
    std::ranges::sort(splices, {}, [](const Splice& s) { return std::pair(s.at, s.size); });
    std::string out;
    out.reserve(body.size() + items.size() + kBodyPadding);
    for (const std::string_view piece : spliced(body, splices))
        out += piece;
    out.reserve(out.size() + kBodyPadding);
    return out;
}

}  // namespace brigada
