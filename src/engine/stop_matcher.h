// StopMatcher: finds the first stop string to be completed in a growing text, and holds back just
// the characters that may still turn out to be part of one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brigada {

class StopMatcher {
  public:
    /// Empty strings are ignored. With `include`, a stop string stays in the text.
    StopMatcher(std::vector<std::string> stops, bool include);

    struct Step {
        std::string text;                 // may be sent now
        std::optional<std::string> stop;  // completed: the text ends here
    };

    /// More text. Among stop strings completed by the same byte the earlier in the list wins. Holds
    /// back at most the longest stop string less one byte.
    Step append(std::string_view text);

    /// The text ended for another reason: what was held back is part of it.
    std::string flush();

  private:
    std::optional<Step> find_stop(size_t old_size);
    size_t open_suffix() const;

    std::vector<std::string> stops_;
    bool include_;
    std::string held_;  // not yet sent
};

}  // namespace brigada
