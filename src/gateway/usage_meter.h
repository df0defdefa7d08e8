// UsageMeter: reads from an answer, as it passes, what the ledger wants to know: the tokens the
// upstream reports, how many pieces of output went by, and whether the answer ended properly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/usage.h"
#include "dialect/dialect.h"

namespace brigada {

class UsageMeter {
  public:
    explicit UsageMeter(Dialect dialect) : dialect_(dialect) {}

    /// The data of one event of a streamed answer.
    void event(std::string_view data);
    /// A whole answer.
    void whole(std::string_view json);

    /// As the upstream said last; nullopt when it said nothing.
    const std::optional<Usage>& reported() const { return reported_; }
    /// Whether it said how much of the prompt was cached: not every engine does.
    bool said_cached() const { return said_cached_; }
    /// Events that carried output so far: a floor for the tokens of an answer that broke off.
    int64_t output_events() const { return output_events_; }
    /// Whether the end that the dialect demands has passed: "[DONE]", message_stop,
    /// response.completed.
    bool ended() const { return ended_; }
    /// Whether the upstream reported an error inside the stream.
    bool failed() const { return failed_; }
    /// The last event held usage and no choices: an OpenAI client sees it only when it asked for
    /// it.
    bool last_was_only_usage() const { return only_usage_; }

  private:
    void read_object(std::string_view json);

    Dialect dialect_;
    std::optional<Usage> reported_;
    bool said_cached_ = false;
    int64_t output_events_ = 0;
    bool ended_ = false;
    bool failed_ = false;
    bool only_usage_ = false;
    std::string padded_;  // simdjson reads past the end
};

}  // namespace brigada
