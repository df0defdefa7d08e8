// PreTokenizer: cuts a normalised text into words, inside which a model forms its pieces. It runs
// the split steps of a vocabulary one after the other; the steps may also rewrite spaces.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokens/pattern_split.h"
#include "tokens/regex.h"
#include "tokens/vocabulary.h"

namespace brigada {

/// The words of a text, and the text they lie in: the caller's, or `rewritten` when a step rewrote
/// it.
struct Words {
    std::string_view text;
    std::string rewritten;
    std::vector<Span> spans;
};

class PreTokenizer {
  public:
    /// Error::unsupported names a pattern that neither we nor PCRE2 know.
    static Result<PreTokenizer> create(const std::vector<SplitStep>& steps);

    /// Overwrites `words`, reusing its memory. `at_start`: `text` is the beginning of what the user
    /// gave, not what follows an added token.
    void split(std::string_view text, bool at_start, Words& words) const;

  private:
    struct Step {
        SplitStep spec;
        PatternSplit known = nullptr;  // then it does all; else `regex` or the kind says how
        std::optional<Regex> regex;
    };

    static Result<Step> create_step(const SplitStep& spec);
    static void cut(const Step& step, Words& words);
    static void find_matches(const Step& step, std::string_view text, Span range,
                             std::vector<Span>& matches);

    std::vector<Step> steps_;
};

/// What a GGUF's tokenizer.ggml.pre stands for.
struct PreConvention {
    std::vector<SplitStep> splits;
    bool nfc = false;            // the text is normalised so
    bool ignore_merges = false;  // as in VocabularySpec
};

/// Error::unsupported names `pre` and those we know.
Result<PreConvention> convention_of_pre(std::string_view pre);

}  // namespace brigada
