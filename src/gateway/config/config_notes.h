// ConfigNotes: everything a configuration file did wrong, and everything in it that has no effect.
// Reading goes on after an error, so that one look at the list repairs the whole file.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace brigada {

/// Errors that are spelt out; of more, only their number is told.
inline constexpr size_t kMaxConfigErrors = 20;
inline constexpr size_t kMaxConfigWarnings = 200;

class ConfigNotes {
  public:
    void error(std::string note);
    void warn(std::string note);

    bool has_errors() const { return error_count_ > 0; }
    const std::vector<std::string>& warnings() const { return warnings_; }

    /// All errors as one, a line each. There must be one.
    Error summary() const;

  private:
    std::vector<std::string> errors_;
    std::vector<std::string> warnings_;
    size_t error_count_ = 0;
};

}  // namespace brigada
