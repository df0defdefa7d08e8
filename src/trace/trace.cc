#include "trace/trace.h"

#include <algorithm>
#include <limits>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr uint32_t kUnseen = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kFirst = kUnseen - 1;  // the name before a prompt's first block

Error wrong(const TraceSession& session, size_t call, std::string_view what) {
    return {Code::invalid_argument,
            concat("session '", session.name, "', call ", call + 1, ": ", what)};
}

/// Follows the names of one session's prompts.
class NameCheck {
  public:
    explicit NameCheck(const Trace& trace) : trace_(trace), before_(trace.names, kUnseen) {}

    Result<void> follow(const TraceSession& session) {
        prompt_.clear();
        for (size_t i = 0; i < session.calls.size(); ++i)
            TRY(extend(session, i));
        return {};
    }

  private:
    Result<void> extend(const TraceSession& session, size_t index) {
        const TraceCall& call = session.calls[index];
        if (call.keep_blocks > prompt_.size())
            return wrong(session, index,
                         concat("keeps ", call.keep_blocks, " blocks; the call before has ",
                                prompt_.size()));
        prompt_.resize(call.keep_blocks);
        const uint64_t wanted = blocks_of(call.prompt_tokens, trace_.block_tokens);
        uint64_t has = call.keep_blocks;
        for (const BlockRun& run : call.added)
            has += run.count;
        if (has != wanted)
            return wrong(session, index,
                         concat("has ", has, " blocks; ", call.prompt_tokens,
                                " tokens in blocks of ", trace_.block_tokens, " are ", wanted));
        for (const BlockRun& run : call.added)
            TRY(add(session, index, run));
        return {};
    }

    Result<void> add(const TraceSession& session, size_t index, const BlockRun& run) {
        if (run.first >= trace_.names || run.count > trace_.names - run.first)
            return wrong(session, index,
                         concat("has block ", uint64_t(run.first) + run.count - 1,
                                "; names are below ", trace_.names));
        for (uint32_t name = run.first; name < run.first + run.count; ++name) {
            const uint32_t last = prompt_.empty() ? kFirst : prompt_.back();
            if (before_[name] == kUnseen) before_[name] = last;
            if (before_[name] != last)
                return wrong(session, index,
                             concat("has block ", name, " where another block stands before it"));
            prompt_.push_back(name);
        }
        return {};
    }

    const Trace& trace_;
    std::vector<uint32_t> before_;  // the name that each name follows
    std::vector<uint32_t> prompt_;
};

Result<void> check_session(const Trace& trace, size_t number) {
    const TraceSession& session = trace.sessions[number];
    if (session.calls.empty())
        return Error{Code::invalid_argument, concat("session '", session.name, "' has no calls")};
    if (session.tenant >= trace.tenants.size())
        return wrong(session, 0, concat("tenant ", session.tenant, " is not in the list"));
    if (const auto parent = session.parent) {
        if (parent->session >= number)
            return wrong(
                session, 0,
                concat("its parent, session ", parent->session, ", does not stand before it"));
        if (parent->call >= trace.sessions[parent->session].calls.size())
            return wrong(session, 0, concat("its parent has no call ", parent->call + 1));
    }
    for (size_t i = 0; i < session.calls.size(); ++i) {
        const TraceCall& call = session.calls[i];
        if (call.model >= trace.models.size())
            return wrong(session, i, concat("model ", call.model, " is not in the list"));
        if (call.prompt_tokens == 0) return wrong(session, i, "has an empty prompt");
        if (call.output_tokens == 0) return wrong(session, i, "has an empty answer");
        if (call.gap < Duration()) return wrong(session, i, "has a gap below 0");
    }
    return {};
}

}  // namespace

uint64_t Trace::calls() const {
    uint64_t sum = 0;
    for (const TraceSession& session : sessions)
        sum += session.calls.size();
    return sum;
}

uint32_t kept_tokens(const TraceCall& call, uint32_t block_tokens) {
    return static_cast<uint32_t>(
        std::min<uint64_t>(uint64_t(call.keep_blocks) * block_tokens, call.prompt_tokens));
}

uint32_t blocks_of(uint32_t tokens, uint32_t block_tokens) {
    return tokens / block_tokens + (tokens % block_tokens != 0 ? 1 : 0);
}

Result<void> check(const Trace& trace) {
    if (trace.block_tokens == 0) return Error{Code::invalid_argument, "blocks have no tokens"};
    for (size_t i = 0; i < trace.sessions.size(); ++i)
        TRY(check_session(trace, i));
    NameCheck names(trace);
    for (const TraceSession& session : trace.sessions)
        TRY(names.follow(session));
    return {};
}

}  // namespace brigada
