// The classes that regular expressions and grammar notation name: \d, \w, \s, \p{L}. And the
// reading of characters one by one from text that must be UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "grammar/code_points.h"

namespace brigada {

/// The class that `\letter` stands for: d, w, s, and D, W, S for what is not in them. ASCII's
/// digits and word characters; ECMAScript's white space.
std::optional<CodePointSet> class_of_letter(char32_t letter);

/// What `.` stands for in a regular expression: everything but the ends of lines.
CodePointSet any_but_line_ends();

/// The general category `name` as in \p{name}: L, M, N, P or S, or the long name of one.
std::optional<CodePointSet> class_of_category(std::string_view name);

/// Characters of a text, one at a time.
class CharacterCursor {
  public:
    explicit CharacterCursor(std::string_view text) : text_(text) {}

    bool at_end() const { return at_ == text_.size(); }
    /// kNotACharacter at the end and for bytes that are not UTF-8.
    char32_t peek() const;
    char32_t take();
    /// Takes `text` if it stands here.
    bool accept(std::string_view text);
    /// Up to `end`, which is taken too but not part of it; nullopt when it does not come.
    std::optional<std::string_view> take_until(char end);
    /// A hexadecimal number of exactly `digits` digits.
    std::optional<char32_t> take_hex(int digits);
    /// A decimal number below 10^9, of at least one digit.
    std::optional<uint32_t> take_decimal();

    size_t byte() const { return at_; }
    void go_to(size_t byte) { at_ = byte; }
    std::string_view rest() const { return text_.substr(at_); }
    std::string_view before() const { return text_.substr(0, at_); }

  private:
    std::string_view text_;
    size_t at_ = 0;
};

/// Whether `code` may stand in UTF-8: in range and no surrogate.
bool is_scalar_value(char32_t code);

}  // namespace brigada
