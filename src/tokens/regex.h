// Regex: a regular expression of a tokenizer.json, run by PCRE2. Patterns are written for
// Oniguruma; what means something else there is rewritten or refused.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokens/pattern_split.h"

namespace brigada {

class Regex {
  public:
    /// Compiles `pattern`. \s is White_Space, \p{...} and \d are Unicode's, classes of bytes do not
    /// exist. Error::unsupported says what PCRE2 does not accept, and where.
    static Result<Regex> compile(std::string_view pattern);

    Regex(Regex&&) noexcept;
    Regex& operator=(Regex&&) noexcept;
    ~Regex();

    /// Appends the matches inside `range`, left to right; empty ones are left out. A match that
    /// needs more steps than kMatchSteps ends the search: what follows counts as not matching.
    void find_all(std::string_view text, Span range, std::vector<Span>& matches) const;

    static constexpr uint32_t kMatchSteps = 10'000'000;

  private:
    struct Compiled;
    explicit Regex(std::unique_ptr<const Compiled> compiled);
    std::unique_ptr<const Compiled> compiled_;
};

}  // namespace brigada
