#include "trace/counted_sessions.h"

#include <algorithm>

#include "base/check.h"

namespace brigada {

namespace {

constexpr Duration kReadingTime = Duration::seconds(40);

/// Ids of blocks that all sessions of a tenant and model begin with, in a space of their own.
uint64_t common_block_id(uint32_t tenant, uint32_t model, uint64_t block) {
    return uint64_t(1) << 62 | uint64_t(tenant & 0xfffff) << 42 | uint64_t(model & 0x3fff) << 28 |
           block;
}

class Adding {
  public:
    Adding(TraceBuilder& trace, uint32_t tenant) : trace_(trace), tenant_(tenant) {}

    std::vector<TraceCall> add(const std::vector<CountedCall>& calls) {
        std::vector<TraceCall> out;
        for (size_t i = 0; i < calls.size(); ++i)
            out.push_back(add(calls[i], i == 0 ? nullptr : &calls[i - 1]));
        return out;
    }

  private:
    TraceCall add(const CountedCall& call, const CountedCall* before) {
        const Duration gap =
            before ? call.at - before->at - before->took.value_or(Duration()) : Duration();
        TraceCall out{.gap = std::max(Duration(), gap),
                      .model = call.model,
                      .prompt_tokens = call.prompt_tokens,
                      .output_tokens = std::max(1U, call.output_tokens),
                      .user = call.user.value_or(before == nullptr || gap >= kReadingTime),
                      .recorded_time = call.took,
                      .recorded_ttft = call.ttft};
        if (before)
            prompt_.keep(kept_blocks(call, *before));
        else
            begin(call);
        const uint32_t more =
            blocks_of(call.prompt_tokens, trace_.block_tokens()) - prompt_.blocks();
        prompt_.add_run(trace_.names().fresh(more), more);
        prompt_.end(out);
        return out;
    }

    uint32_t kept_blocks(const CountedCall& call, const CountedCall& before) const {
        const uint32_t shared = std::min(call.prompt_tokens, before.prompt_tokens);
        const bool extends = call.prompt_tokens >= before.prompt_tokens;
        const uint32_t kept = extends ? shared : std::min(shared, call.cached_tokens.value_or(0));
        return kept / trace_.block_tokens();
    }

    void begin(const CountedCall& call) {
        const uint32_t cached = std::min(call.cached_tokens.value_or(0), call.prompt_tokens);
        for (uint32_t i = 0; i < cached / trace_.block_tokens(); ++i)
            prompt_.add(
                trace_.names().shared(prompt_.last(), common_block_id(tenant_, call.model, i)));
    }

    TraceBuilder& trace_;
    uint32_t tenant_;
    PromptChain prompt_;
};

}  // namespace

void CountedSessions::add(const std::string& session, const std::string& tenant, CountedCall call) {
    const auto [found, is_new] = index_.try_emplace({session, tenant}, sessions_.size());
    if (is_new) sessions_.push_back({.name = session, .tenant = tenant, .order = sessions_.size()});
    std::vector<CountedCall>& calls = sessions_[found->second].calls;
    call.order = calls.size();
    calls.push_back(call);
}

Result<void> CountedSessions::add_to(TraceBuilder& trace, const std::string& file) {
    Duration first = Duration::max();
    for (Session& session : sessions_) {
        std::ranges::sort(session.calls, {},
                          [](const CountedCall& c) { return std::pair(c.at, c.order); });
        first = std::min(first, session.calls.front().at);
    }
    std::ranges::sort(sessions_, {},
                      [](const Session& s) { return std::pair(s.calls.front().at, s.order); });
    for (const Session& session : sessions_) {
        for (const CountedCall& call : session.calls)
            TRY(check_room(trace, call.prompt_tokens, Place{file}));
        const uint32_t tenant = trace.tenant(session.tenant);
        const CountedCall& begin = session.calls.front();
        trace.add({.name = session.name,
                   .start = Instant() + (begin.at - first),
                   .tenant = tenant,
                   .system_tokens = std::min(begin.cached_tokens.value_or(0), begin.prompt_tokens),
                   .calls = Adding(trace, tenant).add(session.calls)});
    }
    return {};
}

}  // namespace brigada
