// Normalizer: rewrites a text as a vocabulary wants it before it is cut. Most text needs nothing,
// so each step first looks whether it would change anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokens/regex.h"
#include "tokens/vocabulary.h"

namespace brigada {

class Normalizer {
  public:
    /// Error::unsupported names a pattern that PCRE2 does not accept.
    static Result<Normalizer> create(const std::vector<NormalizerStep>& steps);

    /// The normalised text: `text` itself where nothing changes, else in `storage`, overwritten.
    std::string_view normalize(std::string_view text, std::string& storage) const;

  private:
    struct Step {
        NormalizerStep spec;
        std::optional<Regex> regex;
    };
    std::vector<Step> steps_;
};

/// Whether every character of `text` is surely in form NFC by itself and next to any of the others:
/// text in European languages without combining marks, Chinese, Korean, most symbols. No is
/// "maybe".
bool surely_nfc(std::string_view text);

}  // namespace brigada
