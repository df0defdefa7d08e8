// RecordId: the name of one call for ever. 128 bits that sort by time, so that the store appends to
// its index, and that two processes never both make: the low half counts from a random start.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/wall_time.h"

namespace brigada {

struct RecordId {
    uint64_t time_ns = 0;  // when the id was made; never earlier than its maker's previous one
    uint64_t number = 0;   // the maker's random start, plus how many it had made

    static constexpr size_t kBytes = 16;

    friend constexpr auto operator<=>(RecordId, RecordId) = default;

    /// Big endian, so that memcmp orders as <=> does.
    std::array<char, kBytes> bytes() const;
    static std::optional<RecordId> from_bytes(std::string_view bytes);

    /// 32 lower-case hex digits, and back.
    std::string hex() const;
    static std::optional<RecordId> from_hex(std::string_view text);
};

/// Makes ids, strictly increasing in time_ns and number together even when the clock steps back.
class RecordIds {
  public:
    /// `start` comes from the system's random source: it is what keeps replicas apart.
    explicit RecordIds(uint64_t start) : number_(start) {}

    RecordId next(WallTime now);

  private:
    uint64_t time_ns_ = 0;
    uint64_t number_;
};

}  // namespace brigada
