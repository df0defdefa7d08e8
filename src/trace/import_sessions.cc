// Sessions of kv-cache-tester, one on a line: id, block, tool_tokens, system_tokens, calls[] with
// t, m, in, out, keep (leading blocks shared with the call before), add ([first id, count] runs
// after them), k ("U" or "T"), api, think, ttft (s); sub-agents stand among the calls of their
// parent.
#include "base/concat.h"
#include "trace/agent_session.h"

namespace brigada {

namespace {

constexpr Duration kSecond = Duration::seconds(1);

/// Blocks named in runs, spelled out. `most` is what the prompt can hold.
Result<std::vector<uint64_t>> read_runs(const Record& record, uint64_t most) {
    std::vector<uint64_t> ids;
    TRY(const Json* runs, record.array("add"));
    for (const Json& run : *runs) {
        const bool is_run = run.is_array() && run.size() == 2 && run[0].is_number_unsigned() &&
                            run[1].is_number_unsigned();
        if (!is_run || run[1].get<uint64_t>() > most - ids.size())
            return wrong_field(
                record.place(), "add", dump_json(run),
                concat("[first id, count] is needed, for ", most, " blocks at most"));
        for (uint64_t i = 0; i < run[1].get<uint64_t>(); ++i)
            ids.push_back(run[0].get<uint64_t>() + i);
    }
    return ids;
}

Result<AgentCall> read_call(const Record& record, TraceBuilder& trace) {
    AgentCall out;
    TRY(out.at, record.time("t", kSecond));
    TRY(out.think, record.time_if("think", kSecond));
    TRY(out.api, record.time_if("api", kSecond));
    TRY(out.ttft, record.time_if("ttft", kSecond));
    TRY(const std::string model, record.text_or("m", kNoModel));
    TRY(out.prompt_tokens, record.prompt_tokens("in"));
    TRY(out.output_tokens, record.tokens("out"));
    TRY(out.keep, record.tokens("keep"));
    TRY(out.ids, read_runs(record, blocks_of(out.prompt_tokens, trace.block_tokens())));
    TRY(const std::string kind, record.text_or("k", "U"));
    if (kind != "U" && kind != "T") return record.wrong("k", "U (user) or T (tool) is needed");
    out.user = kind == "U";
    out.model = trace.model(model);
    return out;
}

Result<AgentSession> read_session(const Record& record, TraceBuilder& trace, bool is_sub_agent);

Result<SubAgent> read_sub_agent(const Record& record, size_t calls_before, TraceBuilder& trace) {
    SubAgent out{.calls_before = calls_before};
    TRY(out.session, read_session(record, trace, true));
    TRY(out.ended_at, record.time("t", kSecond));
    TRY(out.took, record.time_if("dur_ms", Duration::milliseconds(1)));
    return out;
}

Result<void> read_entry(const Record& entry, bool is_sub_agent, AgentSession& out,
                        TraceBuilder& trace) {
    if (!entry.has("sub")) {
        TRY(out.calls.emplace_back(), read_call(entry, trace));
        return {};
    }
    if (is_sub_agent) return entry.wrong("sub", "a sub-agent has no sub-agents here");
    TRY(SubAgent sub, read_sub_agent(entry, out.calls.size(), trace));
    sub.session.name = concat(out.name, "/", sub.session.name);
    out.sub_agents.push_back(std::move(sub));
    return {};
}

Result<AgentSession> read_session(const Record& record, TraceBuilder& trace, bool is_sub_agent) {
    AgentSession out;
    TRY(out.name, record.text_or(is_sub_agent ? "sub" : "id", "session"));
    TRY(out.tool_tokens, record.tokens_or("tool_tokens", 0));
    TRY(out.system_tokens, record.tokens_or("system_tokens", 0));
    TRY(const Json* calls, record.array("calls"));
    for (const Json& json : *calls) {
        const Place place =
            record.place().element("calls", out.calls.size() + out.sub_agents.size());
        if (!json.is_object())
            return Error{Code::invalid_argument, concat(place.text(), ": not an object")};
        TRY(read_entry(Record(json, place), is_sub_agent, out, trace));
    }
    return out;
}

}  // namespace

Result<void> import_sessions(TraceText& text, Import& import) {
    return each_json_line(text, import, [&](const Record& record) -> Result<void> {
        TRY(const uint32_t block, record.prompt_tokens("block"));
        TRY(import.trace.set_block_tokens(block));
        TRY(const AgentSession session, read_session(record, import.trace, false));
        return add_agent_session(session, record.place(), import.trace);
    });
}

}  // namespace brigada
