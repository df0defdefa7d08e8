// Regular expressions, read into a GrammarBuilder: what ECMAScript and PCRE have in common, over
// code points. Look-around, back-references and word boundaries are no regular languages' business
// or not worth their price; they are refused.
#pragma once

#include <string_view>

#include "base/result.h"
#include "grammar/grammar_builder.h"

namespace brigada {

enum class RegexMatch {
    whole,   // the text is matched from end to end
    within,  // some part of it is, as JSON Schema's "pattern" means it
};

/// Characters, `.`, classes, \d \w \s (ASCII's digits and word characters, ECMAScript's white
/// space),
/// \p{L} \p{M} \p{N} \p{P} \p{S}, \xHH \uHHHH \u{H}, groups, alternatives, * + ? {m,n}, and ^ and $
/// at the ends of the expression or of its alternatives. Errors name the character, counted from 1:
/// ::invalid_argument for what is none, ::unsupported for what is refused.
Result<Expr> read_regex(GrammarBuilder& builder, std::string_view pattern, RegexMatch match);

}  // namespace brigada
