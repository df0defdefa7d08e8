#include "trace/agent_session.h"

#include <algorithm>

#include "base/concat.h"

namespace brigada {

namespace {

/// Ids of blocks of tools, in a space of their own: no source counts so far.
uint64_t tool_block_id(uint32_t tool_tokens, uint64_t block) {
    return uint64_t(1) << 63 | uint64_t(tool_tokens) << 32 | block;
}

Result<void> check_ids(const AgentSession& session, uint32_t block_tokens, const Place& place) {
    uint64_t before = 0;
    for (size_t i = 0; i < session.calls.size(); ++i) {
        const AgentCall& call = session.calls[i];
        const Place here = place.element("calls", i);
        const uint64_t count = call.keep + call.ids.size();
        if (call.keep > before)
            return wrong_field(here, "keep", concat(call.keep),
                               concat("the call before has ", before, " blocks"));
        const uint32_t full = call.prompt_tokens / block_tokens;
        if (count != full && count != blocks_of(call.prompt_tokens, block_tokens))
            return wrong_field(here, "the number of block ids", concat(count),
                               concat(call.prompt_tokens, " tokens are ", full, " full blocks of ",
                                      block_tokens, " tokens"));
        if (i > 0 && call.at < session.calls[i - 1].at)
            return wrong_field(here, "t", concat(call.at.seconds()),
                               concat("the clock jumps back: the call before came at ",
                                      session.calls[i - 1].at.seconds(), " s"));
        before = count;
    }
    for (const SubAgent& sub : session.sub_agents)
        TRY(check_ids(sub.session, block_tokens, place.element("calls", sub.calls_before)));
    return {};
}

/// When the answer to `call` was there, as far as is known.
Duration end_of(const AgentCall& call) {
    return call.at + call.api.value_or(Duration());
}

/// From its parent's answer on.
Duration duration_of(const SubAgent& sub) {
    if (sub.took) return *sub.took;
    return sub.session.calls.empty() ? Duration() : end_of(sub.session.calls.back());
}

Duration offset_of(const SubAgent& sub, const AgentCall& parent) {
    return std::max(Duration(), sub.ended_at - duration_of(sub) - end_of(parent));
}

class Adding {
  public:
    explicit Adding(TraceBuilder& trace) : trace_(trace) {}

    void add(const AgentSession& session, std::optional<ParentCall> parent, Instant start) {
        if (session.calls.empty()) return;
        const uint32_t index =
            trace_.add({.name = session.name,
                        .start = start,
                        .parent = parent,
                        .system_tokens = session.tool_tokens + session.system_tokens});
        PromptChain prompt;
        std::vector<TraceCall> calls;
        for (size_t i = 0; i < session.calls.size(); ++i)
            calls.push_back(call_of(session, i, prompt));
        trace_.session(index).calls = std::move(calls);
        for (const SubAgent& sub : session.sub_agents)
            add_sub_agent(session, index, sub);
    }

  private:
    void add_sub_agent(const AgentSession& session, uint32_t index, const SubAgent& sub) {
        if (sub.calls_before == 0) {  // nothing that could have begun it
            add(sub.session, {}, Instant());
            return;
        }
        const auto call = static_cast<uint32_t>(sub.calls_before - 1);
        add(sub.session, ParentCall{index, call}, Instant() + offset_of(sub, session.calls[call]));
    }

    TraceCall call_of(const AgentSession& session, size_t index, PromptChain& prompt) {
        const AgentCall& call = session.calls[index];
        TraceCall out{.gap = gap_before(session, index),
                      .model = call.model,
                      .prompt_tokens = call.prompt_tokens,
                      .output_tokens = std::max(1U, call.output_tokens),
                      .user = call.user,
                      .recorded_time = call.api,
                      .recorded_ttft = call.ttft};
        if (index > 0) prompt.keep(call.keep);
        add_blocks(session, index, prompt);
        prompt.end(out);
        return out;
    }

    /// Of the first call, the blocks that are all tools are the same in every session with as many
    /// tokens of tools: our reading of the source, whose ids say nothing across sessions.
    void add_blocks(const AgentSession& session, size_t index, PromptChain& prompt) {
        const AgentCall& call = session.calls[index];
        PrefixNames& names = trace_.names();
        const uint32_t tool_blocks = session.tool_tokens / trace_.block_tokens();
        if (index == 0)
            tools_.assign(
                call.ids.begin(),
                call.ids.begin() + std::min<ptrdiff_t>(tool_blocks, std::ssize(call.ids)));
        for (const uint64_t id : call.ids) {
            const uint32_t at = prompt.blocks();
            const bool is_tools = at < tools_.size() && tools_[at] == id;
            if (session.ids_are_global)
                prompt.add(names.shared(prompt.last(), id));
            else if (is_tools)
                prompt.add(names.shared(prompt.last(), tool_block_id(session.tool_tokens, at)));
            else
                prompt.add(names.local(prompt.last(), id));
        }
        if (prompt.blocks() < blocks_of(call.prompt_tokens, trace_.block_tokens()))
            prompt.add(names.fresh(1));  // the partial last block
    }

    /// What the client waited; sub-agents took their part of it.
    static Duration gap_before(const AgentSession& session, size_t index) {
        if (index == 0) return {};
        const AgentCall& call = session.calls[index];
        const AgentCall& last = session.calls[index - 1];
        const Duration idle = call.think.value_or(call.at - end_of(last));
        Duration away;
        for (const SubAgent& sub : session.sub_agents)
            if (sub.calls_before == index)
                away = std::max(away, offset_of(sub, last) + duration_of(sub));
        return std::max(Duration(), idle - away);
    }

    TraceBuilder& trace_;
    std::vector<uint64_t> tools_;
};

uint64_t tokens_of(const AgentSession& session) {
    uint64_t sum = 0;
    for (const AgentCall& call : session.calls)
        sum += call.ids.size();
    for (const SubAgent& sub : session.sub_agents)
        sum += tokens_of(sub.session);
    return sum;
}

}  // namespace

Result<void> add_agent_session(const AgentSession& session, const Place& place,
                               TraceBuilder& trace) {
    if (session.calls.empty())
        return Error{Code::invalid_argument, concat(place.text(), ": a session without calls")};
    TRY(check_ids(session, trace.block_tokens(), place));
    TRY(check_room(trace, (tokens_of(session) + session.calls.size()) * trace.block_tokens(),
                   place));
    trace.names().forget_local();
    Adding(trace).add(session, {}, Instant());
    return {};
}

}  // namespace brigada
