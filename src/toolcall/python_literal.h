// Python's literals as JSON: strings in either quote, True, None, lists, tuples and dicts, as
// models write arguments of calls. Source: The Python Language Reference, 2.4 and 6.2.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace brigada {

/// The same value in JSON; nothing for what is no literal or has no JSON.
std::optional<std::string> python_as_json(std::string_view text);

/// Finds where a literal ends that arrives in portions: at a comma or a bracket of what it stands
/// in.
class PythonExtent {
  public:
    /// Bytes of `text` that belong to it; fewer than all: it ends there.
    size_t read(std::string_view text);

  private:
    size_t depth_ = 0;  // brackets that must close
    char quote_ = 0;    // of the string at hand
    bool escaped_ = false;
};

}  // namespace brigada
