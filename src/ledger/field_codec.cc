#include "ledger/field_codec.h"

#include <bit>

#include "base/append_all.h"

namespace brigada {

namespace {
/// A record is far below 2^28 bytes: a longer length is damage, seen before it is used.
constexpr int kLengthBytes = 4;
}  // namespace

void FieldWriter::item(uint8_t number, std::string_view bytes) {
    size_t length = bytes.size();
    CHECK(length < size_t{1} << (7 * kLengthBytes));
    char head[1 + kLengthBytes] = {static_cast<char>(number)};
    size_t used = 1;
    for (; length >= 128; length >>= 7)
        head[used++] = static_cast<char>((length & 127) | 128);
    head[used++] = static_cast<char>(length);
    append_all(out_, std::string_view(head, used), bytes);
}

void FieldWriter::text(uint8_t number, std::string_view value) {
    if (!value.empty()) item(number, value);
}

void FieldWriter::integer(uint8_t number, int64_t value) {
    if (value == 0) return;
    char bytes[8];
    for (size_t i = 0; i < 8; ++i)
        bytes[i] = static_cast<char>(value >> (8 * i));
    // The last byte's top bit reads as the sign, so there is room for one bit more than the
    // value's.
    const auto magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
    const auto used = static_cast<size_t>(std::bit_width(magnitude) / 8 + 1);
    item(number, {bytes, used});
}

Result<int64_t> Field::integer() const {
    if (bytes.size() > 8)
        return Error{Code::corrupt, concat("field ", int{number}, " is ", bytes.size(),
                                           " bytes long; an integer has at most 8")};
    if (bytes.empty()) return 0;
    int64_t value = static_cast<signed char>(bytes.back()) < 0 ? -1 : 0;
    for (size_t i = bytes.size(); i-- > 0;)
        value = static_cast<int64_t>(static_cast<uint64_t>(value) << 8 |
                                     static_cast<unsigned char>(bytes[i]));
    return value;
}

Error FieldReader::cut_short() const {
    return {Code::corrupt, concat("a field ends beyond the record's ", size_, " bytes")};
}

Result<uint64_t> FieldReader::length() {
    uint64_t value = 0;
    for (int i = 0; i < kLengthBytes && !rest_.empty(); ++i) {
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        value |= uint64_t{byte & 127U} << (7 * i);
        if (byte < 128) return value;
    }
    return cut_short();
}

Result<Field> FieldReader::next() {
    CHECK(!done());
    const auto number = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    TRY(const uint64_t bytes, length());
    if (bytes > rest_.size()) return cut_short();
    const Field field{number, rest_.substr(0, bytes)};
    rest_.remove_prefix(bytes);
    return field;
}

}  // namespace brigada
