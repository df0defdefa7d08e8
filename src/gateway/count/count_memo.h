// What was counted before, by content: CountMemo knows whole prompts, StretchMemo pieces of
// rendered text. Keys are salted by whoever counts, so that one tenant's hits tell nothing about
// another's prompts. Bounded in bytes; what was not asked for the longest goes first.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tokens/tokenizer.h"

namespace brigada {

/// XXH3-128 of content and salt.
struct ContentKey {
    uint64_t low = 0;
    uint64_t high = 0;

    friend bool operator==(const ContentKey&, const ContentKey&) = default;
};

/// `text` behind what `before` covers.
ContentKey content_key(const ContentKey& before, std::string_view text);

/// Values by key, at most `max_bytes` of them; bytes_of(value) says what one takes.
template <typename Value>
class RecentlyUsed {
  public:
    RecentlyUsed(size_t max_bytes, size_t (*bytes_of)(const Value&))
        : max_bytes_(max_bytes), bytes_of_(bytes_of) {}

    /// Null when it is not there; valid until the next put().
    const Value* find(const ContentKey& key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return &found->second->second;
    }

    void put(const ContentKey& key, Value value) {
        if (const auto old = places_.find(key); old != places_.end()) erase(old->second);
        bytes_ += bytes_of_(value);
        entries_.emplace_front(key, std::move(value));
        places_.emplace(key, entries_.begin());
        while (bytes_ > max_bytes_)
            erase(std::prev(entries_.end()));
    }

    size_t bytes() const { return bytes_; }
    size_t size() const { return places_.size(); }

  private:
    using Entries = std::list<std::pair<ContentKey, Value>>;  // last used first
    struct Hasher {
        size_t operator()(const ContentKey& key) const { return key.low; }
    };

    void erase(typename Entries::iterator entry) {
        bytes_ -= bytes_of_(entry->second);
        places_.erase(entry->first);
        entries_.erase(entry);
    }

    size_t max_bytes_;
    size_t (*bytes_of_)(const Value&);
    size_t bytes_ = 0;
    Entries entries_;
    std::unordered_map<ContentKey, typename Entries::iterator, Hasher> places_;
};

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
