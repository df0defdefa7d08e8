// TokenCounters: the tokenizers of a configuration, opened and ready to count. Deployments with the
// same one share it, and the next configuration takes over those it kept.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gateway/config/gateway_config.h"
#include "gateway/count/prompt_counter.h"

namespace brigada {

/// A counter, with the number by which what it counted is known again.
struct NumberedCounter {
    uint64_t number = 0;
    PromptCounter counter;
};
using CounterRef = std::shared_ptr<const NumberedCounter>;

class TokenCounters {
  public:
    /// Reads files, for a second or so each: not on the loop. A tokenizer that can't be opened is a
    /// warning, and its prompts are estimated. Those `before` has, and whose file is as it was, are
    /// taken from there.
    static TokenCounters open(const GatewayConfig& config, const TokenCounters* before = nullptr);

    /// Whether all prompts are estimated.
    bool empty() const { return opened_.empty(); }

    /// Null for a deployment whose prompts are estimated.
    CounterRef of(const Deployment& deployment) const;

    /// Of each tokenizer that can't be opened: the deployments, and why.
    const std::vector<std::string>& warnings() const { return warnings_; }

  private:
    struct Opened {
        std::filesystem::file_time_type changed = {};
        CounterRef counter = {};  // null: it can't be opened
    };

    Result<Opened> open_one(const TokenizerSettings& settings, const TokenCounters* before);

    std::map<TokenizerSettings, Opened> opened_;
    std::vector<std::string> warnings_;
    uint64_t last_number_ = 0;
};

}  // namespace brigada
