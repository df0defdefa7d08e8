// PieceMap: from the bytes of a piece to its id; StringTable: from an id to bytes. Both are filled
// when a vocabulary is loaded and then only read.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "tokens/flat_map.h"

namespace brigada {

/// A list of strings in one piece of memory, 4 GiB at most.
class StringTable {
  public:
    void add(std::string_view text) {
        bytes_ += text;
        CHECK(bytes_.size() <= UINT32_MAX, "strings of ", bytes_.size(), " bytes");
        ends_.push_back(static_cast<uint32_t>(bytes_.size()));
    }

    std::string_view operator[](size_t i) const {
        const uint32_t begin = i == 0 ? 0 : ends_[i - 1];
        return {bytes_.data() + begin, ends_[i] - begin};
    }

    size_t size() const { return ends_.size(); }

  private:
    std::string bytes_;
    std::vector<uint32_t> ends_;
};

/// A 64-bit hash of any bytes: multiply and fold, 16 bytes a round.
inline uint64_t hash_bytes(std::string_view text) {
    const auto load = [](const char* at) {
        uint64_t word;
        std::memcpy(&word, at, 8);
        return word;
    };
    const auto fold = [](uint64_t a, uint64_t b) {
        const auto product = static_cast<unsigned __int128>(a) * b;
        return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    };
    constexpr uint64_t kOdd1 = 0x9e3779b97f4a7c15, kOdd2 = 0xd1b54a32d192ed03;
    uint64_t hash = fold(text.size() ^ kOdd1, kOdd2);
    const char* at = text.data();
    size_t left = text.size();
    for (; left > 16; left -= 16, at += 16)
        hash = fold(load(at) ^ kOdd1 ^ hash, load(at + 8) ^ kOdd2);
    if (left >= 8) return fold(load(at) ^ kOdd1 ^ hash, load(at + left - 8) ^ kOdd2);
    uint64_t word = 0;
    std::memcpy(&word, at, left);
    return fold(word ^ kOdd1 ^ hash, kOdd2);
}

/// Up to 7 bytes and their number as one key.
inline uint64_t pack_short(std::string_view text) {
    const char* at = text.data();
    const size_t n = text.size();
    uint64_t key = 0;
    if (n >= 4) {
        uint32_t low, high;  // these overlap where n < 8, in equal bytes
        std::memcpy(&low, at, 4);
        std::memcpy(&high, at + n - 4, 4);
        key = low | uint64_t{high} << 8 * (n - 4);
    } else if (n >= 2) {
        uint16_t low, high;
        std::memcpy(&low, at, 2);
        std::memcpy(&high, at + n - 2, 2);
        key = low | uint64_t{high} << 8 * (n - 2);
    } else if (n == 1) {
        key = static_cast<uint8_t>(*at);
    }
    return key | uint64_t{n} << 56;
}

class PieceMap {
  public:
    /// Room for all of `texts`.
    explicit PieceMap(const StringTable& texts) {
        size_t shorts = 0;
        for (size_t id = 0; id < texts.size(); ++id)
            shorts += texts[id].size() <= kShort;
        short_ = FlatMap<TokenId>(shorts);
        long_ = FlatMap<TokenId>(texts.size() - shorts);
    }

    /// False when these bytes are there already. `text` must be what `find` is given as
    /// `texts[id]`.
    bool insert(std::string_view text, TokenId id, const StringTable& texts) {
        if (text.size() <= kShort) return short_.insert(pack_short(text), id);
        uint64_t key = key_of(text);
        while (const TokenId* other = long_.find(key)) {
            if (texts[raw(*other)] == text) return false;
            key = (key + 1) & kKeyBits;  // two texts with one hash
        }
        return long_.insert(key, id);
    }

    std::optional<TokenId> find(std::string_view text, const StringTable& texts) const {
        if (text.size() <= kShort) {
            const TokenId* id = short_.find(pack_short(text));
            return id ? std::optional(*id) : std::nullopt;
        }
        uint64_t key = key_of(text);
        while (const TokenId* id = long_.find(key)) {
            if (texts[raw(*id)] == text) return *id;
            key = (key + 1) & kKeyBits;
        }
        return std::nullopt;
    }

  private:
    static constexpr size_t kShort = 7;
    static constexpr uint64_t kKeyBits = ~uint64_t{0} >> 1;  // never FlatMap's empty key

    static uint64_t key_of(std::string_view text) { return hash_bytes(text) & kKeyBits; }

    FlatMap<TokenId> short_;
    FlatMap<TokenId> long_;
};

}  // namespace brigada
