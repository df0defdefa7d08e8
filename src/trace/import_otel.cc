// OTLP's JSON (a text, or one a line): spans with gen_ai attributes. A span with input and output
// tokens is a call; its session is gen_ai.conversation.id or session.id, else its trace.
#include <charconv>

#include "base/concat.h"
#include "trace/counted_sessions.h"

namespace brigada {

namespace {

constexpr std::string_view kCached = "gen_ai.usage.cache_read.input_tokens";

/// The attribute of this name: its value, whatever its type; null when it isn't there.
const Json* attribute(const Json& span, std::string_view name) {
    const auto list = span.find("attributes");
    if (list == span.end() || !list->is_array()) return nullptr;
    for (const Json& entry : *list) {
        if (!entry.is_object() || !entry.contains("key") || entry["key"] != name) continue;
        const auto value = entry.find("value");
        if (value == entry.end() || !value->is_object() || value->empty()) return nullptr;
        return &*value->begin();
    }
    return nullptr;
}

const Json* first_of(const Json& span, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
        if (const Json* value = attribute(span, name)) return value;
    return nullptr;
}

std::string text_of(const Json* value, std::string_view otherwise) {
    return value != nullptr && value->is_string() ? value->get<std::string>()
                                                  : std::string(otherwise);
}

/// OTLP writes 64-bit numbers as texts.
std::optional<double> number_of(const Json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return {};
    const std::string& text = value.get_ref<const std::string&>();
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return number;
}

Result<Duration> span_time(const Json& span, const char* field, const Place& place) {
    const auto value = span.find(field);
    const auto ns = value == span.end() ? std::nullopt : number_of(*value);
    if (!ns)
        return wrong_field(place, field, value == span.end() ? "missing" : dump_json(*value),
                           "nanoseconds since 1970 are needed");
    return time_from(*ns, Duration::nanoseconds(1), place, field);
}

Result<uint32_t> token_count(const Json& value, const Place& place, std::string_view name) {
    const auto number = number_of(value);
    if (!number) return wrong_field(place, name, dump_json(value), "a number of tokens is needed");
    return tokens_from(*number, place, name);
}

/// An agent's span sums up the calls below it.
bool is_call(const Json& span) {
    const std::string operation = text_of(attribute(span, "gen_ai.operation.name"), "chat");
    return operation != "invoke_agent" && operation != "create_agent" &&
           operation != "execute_tool" && operation != "invoke_workflow";
}

class Reader {
  public:
    explicit Reader(Import& import) : import_(import) {}

    Result<void> read(const Record& record) {
        const auto spans = record.json().find("resourceSpans");
        if (spans == record.json().end() || !spans->is_array())
            return record.wrong("resourceSpans", "OTLP's JSON has a list of them");
        for (const Json& resource : *spans)
            for (const Json& scope : list_in(resource, "scopeSpans"))
                for (const Json& span : list_in(scope, "spans"))
                    TRY(import_.take(read_span(span, record.place().element("span", seen_++))));
        return {};
    }

    Result<void> end(const std::string& file) { return sessions_.add_to(import_.trace, file); }

  private:
    static const Json& list_in(const Json& object, const char* field) {
        static const Json none = Json::array();
        if (!object.is_object()) return none;
        const auto found = object.find(field);
        return found == object.end() || !found->is_array() ? none : *found;
    }

    Result<void> read_span(const Json& span, const Place& place) {
        if (!span.is_object())
            return Error{Code::invalid_argument, concat(place.text(), ": not an object")};
        const Json* input =
            first_of(span, {"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"});
        const Json* output =
            first_of(span, {"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"});
        if (!is_call(span) || input == nullptr ||
            output == nullptr) {  // no call, or one that failed
            ++import_.report.left_out;
            return {};
        }
        CountedCall call;
        TRY(call.prompt_tokens, token_count(*input, place, "gen_ai.usage.input_tokens"));
        TRY(call.output_tokens, token_count(*output, place, "gen_ai.usage.output_tokens"));
        if (call.prompt_tokens == 0)
            return wrong_field(place, "gen_ai.usage.input_tokens", "0",
                               "a prompt has at least 1 token");
        if (const Json* cached = attribute(span, kCached)) {
            TRY(call.cached_tokens, token_count(*cached, place, kCached));
        }
        TRY(call.at, span_time(span, "startTimeUnixNano", place));
        TRY(const Duration ended, span_time(span, "endTimeUnixNano", place));
        if (ended < call.at)
            return wrong_field(place, "endTimeUnixNano", concat(ended.ns()),
                               "it must come after startTimeUnixNano");
        call.took = ended - call.at;
        TRY(call.ttft, time_to_first(span, place));
        call.model = import_.trace.model(
            text_of(first_of(span, {"gen_ai.request.model", "gen_ai.response.model"}), kNoModel));
        sessions_.add(session_of(span), "all", call);
        return {};
    }

    static Result<std::optional<Duration>> time_to_first(const Json& span, const Place& place) {
        constexpr std::string_view kName = "gen_ai.response.time_to_first_chunk";
        const Json* value = attribute(span, kName);
        const auto seconds = value ? number_of(*value) : std::nullopt;
        if (!seconds) return std::optional<Duration>();
        TRY(const Duration out, time_from(*seconds, Duration::seconds(1), place, kName));
        return std::optional(out);
    }

    static std::string session_of(const Json& span) {
        const Json* named = first_of(span, {"gen_ai.conversation.id", "session.id"});
        if (named != nullptr && named->is_string()) return named->get<std::string>();
        const auto trace = span.find("traceId");
        return trace == span.end() ? "session" : text_of(&*trace, "session");
    }

    Import& import_;
    CountedSessions sessions_;
    uint64_t seen_ = 0;
};

}  // namespace

Result<void> import_otel(TraceText& text, Import& import) {
    TRY(import.trace.set_block_tokens(import.options.block_tokens));
    Reader reader(import);
    TRY(each_json_text(text, import, [&](const Record& record) { return reader.read(record); }));
    return reader.end(text.file());
}

}  // namespace brigada
