// GBNF: llama.cpp's notation for grammars, read into a GrammarBuilder.
//
//   root   ::= "yes" | "no" reason?      # a comment
//   reason ::= ": " [^\n"]{1,80}
#pragma once

#include <string_view>

#include "base/result.h"
#include "grammar/grammar_builder.h"

namespace brigada {

/// Rules a grammar may have, and how deep its groups may nest.
inline constexpr size_t kMaxGbnfRules = 2048;
inline constexpr uint32_t kMaxGbnfDepth = 128;

/// The piece that matches what the rule "root" does. Literals, classes, `.`, groups, ?, *, +, {m},
/// {m,}, {m,n}, alternatives and recursion of any kind. Error::invalid_argument with line and
/// column, counted from 1.
Result<Expr> read_gbnf(GrammarBuilder& builder, std::string_view text);

}  // namespace brigada
