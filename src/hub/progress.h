// PullProgress: what a pull tells whoever started it. The command line draws a bar; tests listen.
#pragma once

#include <cstdint>
#include <string_view>

namespace brigada {

class PullProgress {
  public:
    virtual ~PullProgress() = default;

    /// One line a user wants to read.
    virtual void note(std::string_view) {}

    /// One line for --verbose: why a place was skipped, what was retried.
    virtual void detail(std::string_view) {}

    /// `done` bytes of `what` are here; `total` is 0 while unknown. Called often.
    virtual void bytes(std::string_view /*what*/, uint64_t /*done*/, uint64_t /*total*/) {}
};

}  // namespace brigada
