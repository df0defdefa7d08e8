// Fields: the bytes of a record as a run of numbered fields, each [number u8][length][bytes]. A
// reader skips numbers it does not know, so a newer writer may add fields; a default value is not
// written. Lengths are LEB128; integers are as few little-endian bytes as keep value and sign.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace brigada {

class FieldWriter {
  public:
    /// What is written first, before any field.
    explicit FieldWriter(size_t count = 0, char first = '\0') : out_(count, first) {
        out_.reserve(512);
    }

    /// An empty text and a zero are defaults: nothing is written.
    void text(uint8_t number, std::string_view value);
    void integer(uint8_t number, int64_t value);

    /// Written even when empty: one item of a list.
    void item(uint8_t number, std::string_view bytes);

    std::string take() { return std::move(out_); }

  private:
    std::string out_;
};

struct Field {
    uint8_t number = 0;
    std::string_view bytes = {};  // of the reader's input

    /// Error::corrupt when there are more than 8 bytes.
    Result<int64_t> integer() const;
};

class FieldReader {
  public:
    explicit FieldReader(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}

    bool done() const { return rest_.empty(); }

    /// Error::corrupt when the input ends within the field.
    Result<Field> next();

  private:
    Result<uint64_t> length();
    Error cut_short() const;

    std::string_view rest_;
    size_t size_;
};

}  // namespace brigada
