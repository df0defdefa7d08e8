#include "ledger/record_id.h"

#include <algorithm>
#include <charconv>

#include "base/digits.h"

namespace brigada {

namespace {

void put_big_endian(uint64_t value, char* out) {
    for (int i = 0; i < 8; ++i)
        out[i] = static_cast<char>(value >> (56 - 8 * i));
}

uint64_t get_big_endian(std::string_view bytes) {
    uint64_t value = 0;
    for (const char c : bytes)
        value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

std::optional<uint64_t> from_hex_digits(std::string_view text) {
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value, 16);
    if (error != std::errc() || stopped != end) return std::nullopt;
    return value;
}

}  // namespace

std::array<char, RecordId::kBytes> RecordId::bytes() const {
    std::array<char, kBytes> out{};
    put_big_endian(time_ns, out.data());
    put_big_endian(number, out.data() + 8);
    return out;
}

std::optional<RecordId> RecordId::from_bytes(std::string_view bytes) {
    if (bytes.size() != kBytes) return std::nullopt;
    return RecordId{get_big_endian(bytes.substr(0, 8)), get_big_endian(bytes.substr(8))};
}

std::string RecordId::hex() const {
    std::string out;
    out.reserve(2 * kBytes);
    append_hex(out, time_ns);
    append_hex(out, number);
    return out;
}

std::optional<RecordId> RecordId::from_hex(std::string_view text) {
    if (text.size() != 2 * kBytes) return std::nullopt;
    const auto time = from_hex_digits(text.substr(0, 16));
    const auto number = from_hex_digits(text.substr(16));
    if (!time || !number) return std::nullopt;
    return RecordId{*time, *number};
}

RecordId RecordIds::next(WallTime now) {
    time_ns_ = std::max(time_ns_, static_cast<uint64_t>(std::max<int64_t>(now.ns, 0)));
    const RecordId id{time_ns_, number_++};
    if (number_ == 0) ++time_ns_;  // the number began anew: from here the time carries the order
    return id;
}

}  // namespace brigada
