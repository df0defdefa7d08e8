// TraceBuilder: a trace as its importer finds it out, session by session. PromptChain turns the
// blocks of prompts that follow one another into what is kept and what is added.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/prefix_names.h"
#include "trace/trace.h"

namespace brigada {

/// The prompts of one session. For each: keep() where it is known, add() its other blocks, end().
class PromptChain {
  public:
    /// The next prompt begins with the first `blocks` of the one before; at most as many as it has.
    void keep(uint32_t blocks);
    void add(uint32_t name);
    void add_run(uint32_t first, uint32_t count);

    /// Of the prompt so far; kStart when it has none.
    uint32_t last() const { return names_.empty() ? PrefixNames::kStart : names_.back(); }
    uint32_t blocks() const { return static_cast<uint32_t>(names_.size()); }

    /// Writes the prompt into `call`, as many blocks kept as both have at their beginning.
    void end(TraceCall& call);

  private:
    std::vector<uint32_t> names_;
    std::vector<uint32_t> before_;  // what of the prompt before stood after what was kept
    uint32_t kept_ = 0;
};

class TraceBuilder {
  public:
    uint32_t model(std::string_view name) { return index_of(name, trace_.models, models_); }
    uint32_t tenant(std::string_view name) { return index_of(name, trace_.tenants, tenants_); }

    PrefixNames& names() { return names_; }
    const PrefixNames& names() const { return names_; }

    /// Error::invalid_argument when a file before had other blocks.
    Result<void> set_block_tokens(uint32_t tokens);
    uint32_t block_tokens() const { return trace_.block_tokens; }

    /// Its index. A session without a tenant belongs to tenant 0.
    uint32_t add(TraceSession session);
    TraceSession& session(uint32_t index) { return trace_.sessions[index]; }
    uint32_t sessions() const { return static_cast<uint32_t>(trace_.sessions.size()); }

    Trace finish(std::string origin) &&;

  private:
    using Index = std::map<std::string, uint32_t, std::less<>>;
    static uint32_t index_of(std::string_view name, std::vector<std::string>& list, Index& index);

    Trace trace_ = {.block_tokens = 0};  // 0: not known yet
    PrefixNames names_;
    Index models_;
    Index tenants_;
};

}  // namespace brigada
