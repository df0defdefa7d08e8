// What was counted before, by content: CountMemo knows whole prompts, StretchMemo pieces of
// rendered text. Keys are salted by whoever counts, so that one tenant's hits tell nothing about
// another's prompts. Bounded in bytes; what was not asked for the longest goes first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/recently_used.h"
#include "tokens/tokenizer.h"

namespace brigada {

/// A prompt whose tokens are known.
struct CountedPrompt {
    int64_t tokens = 0;
    std::string shape = {};  // JSON of shape_of(); "": nothing may be appended to it
};

class CountMemo {
  public:
    explicit CountMemo(size_t max_bytes) : prompts_(max_bytes, bytes_of) {}

    const CountedPrompt* find(const ContentKey& key) { return prompts_.find(key); }
    void put(const ContentKey& key, CountedPrompt prompt) { prompts_.put(key, std::move(prompt)); }
    size_t bytes() const { return prompts_.bytes(); }

  private:
    static size_t bytes_of(const CountedPrompt& prompt);

    RecentlyUsed<CountedPrompt> prompts_;
};

/// Counts of stretches; short ones are counted sooner than found.
class StretchMemo {
  public:
    explicit StretchMemo(size_t max_bytes);

    std::optional<uint32_t> find(const ContentKey& salt, std::string_view stretch, bool is_first);
    void keep(const ContentKey& salt, std::string_view stretch, bool is_first, uint32_t tokens);
    size_t bytes() const { return counts_.bytes(); }

  private:
    RecentlyUsed<uint32_t> counts_;
};

/// The part of a memo that one salt sees.
class SaltedStretches final : public StretchCounts {
  public:
    SaltedStretches(StretchMemo& memo, ContentKey salt) : memo_(memo), salt_(salt) {}

    std::optional<uint32_t> find(std::string_view stretch, bool is_first) override {
        return memo_.find(salt_, stretch, is_first);
    }
    void keep(std::string_view stretch, bool is_first, uint32_t tokens) override {
        memo_.keep(salt_, stretch, is_first, tokens);
    }

  private:
    StretchMemo& memo_;
    ContentKey salt_;
};

}  // namespace brigada
