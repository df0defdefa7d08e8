// The pieces that JSON is written with: strings, numbers, white space, any value. What a model is
// free in and what not is decided here: see "white space" and "numbers" in the README.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "grammar/grammar_builder.h"

namespace brigada {

/// Digits that an integer may have: all of int64 and more, and an end for a model that repeats
/// itself.
inline constexpr uint32_t kMaxIntegerDigits = 19;

enum class JsonStyle {
    json,
    within_tags,  // JSON in which "</" stands nowhere, so that no value ends the tag around it
    python,       // Python's True, False and None, and the escapes that Python has, too
};

class JsonText {
  public:
    /// `free_space`: a space or a new line with its indentation may stand between values; else
    /// none.
    JsonText(GrammarBuilder& builder, bool free_space, JsonStyle style = JsonStyle::json);

    GrammarBuilder& builder() { return builder_; }

    /// Between a bracket or a comma and what stands beside it; behind a colon.
    Expr gap() const { return gap_; }
    Expr colon() const { return colon_; }

    /// A string whose characters may be written in any way JSON knows.
    Expr any_string();
    /// The same with so many characters, counted as Unicode does.
    Expr any_string(uint32_t least, std::optional<uint32_t> most);
    /// Any characters as they are: a string without its quotation marks and escapes.
    Expr any_text();
    /// `content` in quotation marks, each character written in one way: as it is where that is
    /// allowed, else by the short escape, else by \u00xx. Content without calls.
    Expr string_of(Expr content);
    Expr string_literal(std::string_view text);

    Expr boolean(bool value);
    Expr null();
    Expr any_integer();
    Expr any_number();
    Expr any_value();
    Expr any_object();
    Expr any_array();

    /// A value's text, without white space; and a piece for this value and no other.
    std::string written(const Json& value) const;
    Expr literal(const Json& value) { return builder_.literal(written(value)); }

    /// A key with its colon and its value.
    Expr member(Expr key, Expr value) { return builder_.sequence({key, colon_, value}); }
    /// A comma, and what may stand behind it.
    Expr comma() { return builder_.sequence({builder_.literal(","), gap_}); }
    /// What is in an object or an array, in its brackets.
    Expr enclosed(char open, ExprGraph inside, char close, bool may_be_empty);

  private:
    CodePointSet must_be_escaped() const;
    Expr string_within_tags();
    Expr escaped(Expr content);
    Expr escaped_set(const CodePointSet& set);
    Expr any_character();
    Expr digits(uint32_t least, uint32_t most);

    GrammarBuilder& builder_;
    JsonStyle style_;
    Expr gap_, colon_;
    Rule string_, escape_, value_, object_, array_;
    std::optional<Expr> any_text_;
};

}  // namespace brigada
