// TokenMask: a set of tokens of a vocabulary, a bit each: what may come next.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"

namespace brigada {

class TokenMask {
  public:
    explicit TokenMask(size_t tokens) : words_((tokens + 63) / 64) {}

    void add(TokenId token) { words_[raw(token) / 64] |= uint64_t{1} << (raw(token) % 64); }
    void add(const TokenMask& other) {
        for (size_t i = 0; i < words_.size(); ++i)
            words_[i] |= other.words_[i];
    }
    void clear() { std::fill(words_.begin(), words_.end(), 0); }

    /// False for ids outside the vocabulary: a model may have more logits than there are tokens.
    bool contains(TokenId token) const {
        return raw(token) / 64 < words_.size() &&
               (words_[raw(token) / 64] >> (raw(token) % 64)) & 1;
    }
    std::optional<TokenId> first() const {
        for (size_t i = 0; i < words_.size(); ++i)
            if (words_[i] != 0)
                return TokenId{static_cast<uint32_t>(64 * i + std::countr_zero(words_[i]))};
        return std::nullopt;
    }
    size_t count() const {
        size_t sum = 0;
        for (uint64_t word : words_)
            sum += static_cast<size_t>(std::popcount(word));
        return sum;
    }

    /// 64 tokens a word, the lowest id in the lowest bit.
    std::span<const uint64_t> words() const { return words_; }
    bool operator==(const TokenMask&) const = default;

  private:
    std::vector<uint64_t> words_;
};

}  // namespace brigada
