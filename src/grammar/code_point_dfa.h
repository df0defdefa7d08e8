// CodePointDfa: a regular language over code points as a deterministic automaton, for what a
// grammar cannot say by writing pieces side by side: this pattern and that length, any name but
// these.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/concat.h"
#include "base/result.h"
#include "grammar/code_points.h"
#include "grammar/grammar_builder.h"

namespace brigada {

/// States an automaton may have: what patterns made for people need is far below.
inline constexpr size_t kMaxDfaStates = 20'000;

class CodePointDfa {
  public:
    /// Of a piece without calls whose literals are UTF-8. Error::too_large over kMaxDfaStates.
    static Result<CodePointDfa> from(const GrammarBuilder& builder, Expr expr);

    /// What both have; what the first has and the second has not.
    static Result<CodePointDfa> both(const CodePointDfa& a, const CodePointDfa& b);
    static Result<CodePointDfa> without(const CodePointDfa& a, const CodePointDfa& b);

    bool empty() const;
    bool accepts(std::string_view text) const;

    Expr to_expr(GrammarBuilder& builder) const;

  private:
    static constexpr uint32_t kSink = UINT32_MAX;  // no text leads on from here

    template <typename Ends>
    static Result<CodePointDfa> product(const CodePointDfa& a, const CodePointDfa& b, Ends ends);

    size_t classes() const { return first_of_class_.size(); }
    size_t class_of(char32_t code) const;
    uint32_t next(uint32_t state, size_t byte_class) const {
        return state == kSink ? kSink : next_[state * classes() + byte_class];
    }
    bool ends(uint32_t state) const { return state != kSink && ends_[state]; }

    std::vector<char32_t> first_of_class_;  // ascending from 0; each class goes up to the next
    std::vector<uint32_t> next_;            // [state][class]
    std::vector<bool> ends_;                // [state]; 0 is the start
};

}  // namespace brigada
