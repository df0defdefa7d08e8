// Our own JSON lines, as export_trace writes them: a head, then a session a line. docs/traces.md
// has every field.
#include "base/concat.h"
#include "trace/importer.h"

namespace brigada {

namespace {

constexpr Duration kNs = Duration::nanoseconds(1);
constexpr int64_t kVersion = 1;

/// Names that no block of a file has: of a shared beginning that no session came to the end of.
/// More than these would be a mistake that costs memory.
constexpr uint64_t kSpareNames = 1 << 20;

/// What the head says, in the numbers of the trace that is built.
struct Head {
    uint64_t sessions = 0;
    uint32_t names = 0, first_name = 0, first_session = 0;
    std::vector<uint32_t> models, tenants;
    uint64_t blocks_seen = 0;
};

Result<std::vector<std::string>> read_names(const Record& record, std::string_view field) {
    TRY(const Json* list, record.array(field));
    std::vector<std::string> out;
    for (const Json& name : *list) {
        if (!name.is_string()) return record.wrong(field, "a list of texts is needed");
        out.push_back(name.get<std::string>());
    }
    if (out.empty()) return record.wrong(field, "at least one is needed");
    return out;
}

Result<Head> read_head(const Record& record, TraceBuilder& trace) {
    TRY(const int64_t version, record.integer("brigada_trace"));
    if (version != kVersion)
        return record.wrong("brigada_trace", concat("this build reads version ", kVersion));
    Head out;
    TRY(const uint32_t block, record.prompt_tokens("block_tokens"));
    TRY(trace.set_block_tokens(block));
    TRY(const auto models, read_names(record, "models"));
    TRY(const auto tenants, read_names(record, "tenants"));
    for (const std::string& name : models)
        out.models.push_back(trace.model(name));
    for (const std::string& name : tenants)
        out.tenants.push_back(trace.tenant(name));
    TRY(const int64_t sessions, record.integer("sessions"));
    TRY(const int64_t names, record.integer("names"));
    if (sessions < 0 || sessions > PrefixNames::kMost) return record.wrong("sessions", "a count");
    if (names < 0 || names > PrefixNames::kMost || !trace.names().has_room(uint64_t(names)))
        return record.wrong("names", "a count of blocks that fits 32 bits is needed");
    out.sessions = static_cast<uint64_t>(sessions);
    out.names = static_cast<uint32_t>(names);
    out.first_name = trace.names().fresh(out.names);
    out.first_session = trace.sessions();
    return out;
}

/// An index into one of the head's lists; 0 where it isn't said.
Result<uint32_t> read_index(const Record& record, const char* field,
                            const std::vector<uint32_t>& list) {
    TRY(const uint32_t index, record.tokens_or(field, 0));
    if (index >= list.size())
        return record.wrong(field, concat("the head's list has ", list.size()));
    return list[index];
}

Result<std::vector<BlockRun>> read_runs(const Record& record, Head& head) {
    TRY(const std::vector<uint64_t> numbers, record.ids("add"));
    std::vector<BlockRun> out;
    if (numbers.size() % 2 != 0) return record.wrong("add", "pairs of first and count are needed");
    for (size_t i = 0; i < numbers.size(); i += 2) {
        const uint64_t first = numbers[i], count = numbers[i + 1];
        if (count == 0 || count > head.names || first > head.names - count)
            return record.wrong("add", concat("names are below ", head.names));
        out.push_back(
            {head.first_name + static_cast<uint32_t>(first), static_cast<uint32_t>(count)});
        head.blocks_seen += count;
    }
    return out;
}

Result<TraceCall> read_call(const Record& record, Head& head) {
    TraceCall out;
    TRY(const auto gap, record.time_if("gap", kNs));
    TRY(out.model, read_index(record, "m", head.models));
    TRY(out.prompt_tokens, record.prompt_tokens("in"));
    TRY(out.output_tokens, record.prompt_tokens("out"));
    TRY(out.keep_blocks, record.tokens_or("keep", 0));
    TRY(out.added, read_runs(record, head));
    TRY(const std::string kind, record.text_or("k", "U"));
    TRY(out.recorded_time, record.time_if("took", kNs));
    TRY(out.recorded_ttft, record.time_if("ttft", kNs));
    if (kind != "U" && kind != "T") return record.wrong("k", "U (user) or T (tool) is needed");
    out.gap = gap.value_or(Duration());
    out.user = kind == "U";
    return out;
}

Result<std::optional<ParentCall>> read_parent(const Record& record, const Head& head) {
    TRY(const std::vector<uint64_t> pair, record.ids("parent"));
    if (pair.empty()) return std::optional<ParentCall>();
    if (pair.size() != 2 || pair[0] >= head.sessions || pair[1] > kMostTokens)
        return record.wrong("parent", "session and call of the parent are needed");
    return std::optional(ParentCall{head.first_session + static_cast<uint32_t>(pair[0]),
                                    static_cast<uint32_t>(pair[1])});
}

Result<TraceSession> read_session(const Record& record, Head& head) {
    TraceSession out;
    TRY(out.name, record.text_or("name", "session"));
    TRY(const Duration start, record.time("start", kNs));
    TRY(out.tenant, read_index(record, "tenant", head.tenants));
    TRY(out.parent, read_parent(record, head));
    TRY(out.system_tokens, record.tokens_or("system", 0));
    TRY(const Json* calls, record.array("calls"));
    out.start = Instant() + start;
    out.calls.reserve(calls->size());
    for (const Json& json : *calls) {
        const Place place = record.place().element("calls", out.calls.size());
        if (!json.is_object())
            return Error{Code::invalid_argument, concat(place.text(), ": not an object")};
        TRY(out.calls.emplace_back(), read_call(Record(json, place), head));
    }
    if (out.calls.empty()) return record.wrong("calls", "at least one is needed");
    return out;
}

Result<void> check_end(const Head& head, const TraceBuilder& trace, const std::string& file) {
    const uint64_t read = trace.sessions() - head.first_session;
    if (read != head.sessions)
        return Error{Code::corrupt, concat(file, ": ", read, " sessions; its head says ",
                                           head.sessions, "; is the file cut short?")};
    if (head.names > head.blocks_seen + kSpareNames)
        return Error{Code::corrupt, concat(file, ": names is ", head.names, "; its sessions have ",
                                           head.blocks_seen, " blocks")};
    return {};
}

}  // namespace

/// Sessions count on one another: nothing of it can be skipped.
Result<void> import_brigada(TraceText& text, Import& import) {
    std::optional<Head> head;
    const auto read = [&](const Record& record) -> Result<void> {
        if (!head) {
            TRY(head, read_head(record, import.trace));
            return {};
        }
        TRY(TraceSession session, read_session(record, *head));
        import.trace.add(std::move(session));
        return {};
    };
    const ImportOptions strict;
    Import whole{import.trace, strict, import.report};
    TRY(each_json_line(text, whole, read));
    if (!head) return Error{Code::invalid_argument, concat(text.file(), ": empty")};
    return check_end(*head, import.trace, text.file());
}

}  // namespace brigada
