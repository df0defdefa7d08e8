// kv-cache-tester's (WEKA's) own form: one JSON text for a session, id, block_size, hash_id_scope,
// tool_tokens, system_tokens, requests[] with t, type ("n", "s", "subagent"), model, in, out, every
// hash id of the prompt, input_types, stop, api_time, think_time, ttft (s). Lines of such are read,
// too.
#include <algorithm>

#include "base/concat.h"
#include "trace/agent_session.h"

namespace brigada {

namespace {

constexpr Duration kSecond = Duration::seconds(1);

/// A request that brings tool results says so; older files have only why the one before stopped.
bool is_users(const Record& record, bool stopped_for_tools) {
    const auto types = record.json().find("input_types");
    if (types == record.json().end() || !types->is_array()) return !stopped_for_tools;
    return std::ranges::find(*types, Json("tool_result")) == types->end();
}

class Reader {
  public:
    explicit Reader(TraceBuilder& trace) : trace_(trace) {}

    Result<AgentSession> session(const Record& record, const std::string& name,
                                 std::string_view outer_scope) {
        AgentSession out;
        out.name = name;
        TRY(out.tool_tokens, record.tokens_or("tool_tokens", 0));
        TRY(out.system_tokens, record.tokens_or("system_tokens", 0));
        TRY(const std::string scope, record.text_or("hash_id_scope", outer_scope));
        out.ids_are_global = scope == "global";
        TRY(const Json* requests, record.array("requests"));
        std::vector<uint64_t> before;
        bool stopped_for_tools = false;
        for (size_t i = 0; i < requests->size(); ++i) {
            const Place place = record.place().element("requests", i);
            if (!(*requests)[i].is_object())
                return Error{Code::invalid_argument, concat(place.text(), ": not an object")};
            TRY(entry(Record((*requests)[i], place), out, before, stopped_for_tools));
        }
        return out;
    }

  private:
    Result<void> entry(const Record& record, AgentSession& out, std::vector<uint64_t>& before,
                       bool& stopped_for_tools) {
        TRY(const std::string type, record.text_or("type", "n"));
        if (type == "subagent") return sub_agent(record, out);
        TRY(out.calls.emplace_back(), call(record, before, stopped_for_tools));
        TRY(const std::string stop, record.text_or("stop", ""));
        stopped_for_tools = stop == "tool_use";
        return {};
    }

    Result<void> sub_agent(const Record& record, AgentSession& parent) {
        TRY(const std::string type, record.text_or("subagent_type", "sub-agent"));
        SubAgent out{.calls_before = parent.calls.size()};
        TRY(out.session, session(record, concat(parent.name, "/", type),
                                 parent.ids_are_global ? "global" : "local"));
        TRY(out.ended_at, record.time("t", kSecond));
        TRY(out.took, record.time_if("duration_ms", Duration::milliseconds(1)));
        parent.sub_agents.push_back(std::move(out));
        return {};
    }

    Result<AgentCall> call(const Record& record, std::vector<uint64_t>& before,
                           bool stopped_for_tools) {
        AgentCall out;
        TRY(out.at, record.time("t", kSecond));
        TRY(out.think, record.time_if("think_time", kSecond));
        TRY(out.api, record.time_if("api_time", kSecond));
        TRY(out.ttft, record.time_if("ttft", kSecond));
        TRY(const std::string model, record.text_or("model", kNoModel));
        TRY(out.prompt_tokens, record.prompt_tokens("in"));
        TRY(out.output_tokens, record.tokens("out"));
        TRY(std::vector<uint64_t> ids, record.ids("hash_ids"));
        const auto differ = std::ranges::mismatch(before, ids);
        out.keep = static_cast<uint32_t>(differ.in1 - before.begin());
        out.ids.assign(differ.in2, ids.end());
        before = std::move(ids);
        out.user = is_users(record, stopped_for_tools);
        out.model = trace_.model(model);
        return out;
    }

    TraceBuilder& trace_;
};

Result<void> read_text(const Record& record, TraceBuilder& trace) {
    TRY(const uint32_t block, record.prompt_tokens("block_size"));
    TRY(trace.set_block_tokens(block));
    TRY(const std::string name, record.text_or("id", "session"));
    TRY(const AgentSession session, Reader(trace).session(record, name, "local"));
    return add_agent_session(session, record.place(), trace);
}

}  // namespace

Result<void> import_kv_cache_tester(TraceText& text, Import& import) {
    return each_json_text(text, import,
                          [&](const Record& record) { return read_text(record, import.trace); });
}

}  // namespace brigada
