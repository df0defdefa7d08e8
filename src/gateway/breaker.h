// Breaker: whether an upstream should be asked now. Failures of the upstream open it for a
// cooldown, then one call at a time tries it; what a client did wrong never counts. An upstream
// that says "not now" (429, 503) is left alone for as long as it asks, which is not a failure.
// Pure: no clock.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/time.h"

namespace brigada {

/// What an upstream did wrong.
enum class Fault : uint8_t {
    authentication,  // it does not take our key
    timeout,
    internal,  // 5xx, refused, broken
};
inline constexpr size_t kFaults = 3;

struct BreakerConfig {
    int allowed_failures = 3;  // in a row; the next one opens
    /// Faults with a number of their own are counted apart from the others.
    std::array<std::optional<int>, kFaults> allowed_by_fault = {};
    Duration cooldown = Duration::seconds(5);  // doubles while trials fail
    Duration longest_cooldown = Duration::seconds(60);
    Duration longest_pause = Duration::seconds(300);  // of what a Retry-After may ask for
};

class Breaker {
  public:
    explicit Breaker(BreakerConfig config) : config_(config) {}

    /// Holds from the next failure on.
    void set_config(const BreakerConfig& config) { config_ = config; }

    /// What it did is forgotten: somebody may have mended it.
    void forgive();

    /// Whether a call may go there now. Asks nothing and changes nothing.
    bool allows(Instant now) const;
    /// When it will next allow one; `now` when it does already. never() while a trial runs.
    Instant allows_from(Instant now) const;

    /// A call goes there; the caller has asked allows(). Every begin() is followed by one of the
    /// four below.
    void begin(Instant now);

    void succeeded();  // any answer that was not the upstream's failure
    void failed(Instant now, Fault fault = Fault::internal);
    void told_to_wait(Duration pause, Instant now);  // 429 or 503; zero when no Retry-After came
    void abandoned();  // the client left: says nothing about the upstream

    bool open() const;
    int failures() const { return failures_; }

    void check() const;

  private:
    void forget_failures();

    BreakerConfig config_;
    int failures_ = 0;  // in a row, of any kind
    std::array<int, kFaults> by_fault_ = {};
    int failed_trials_ = 0;      // since it opened
    bool trial_ = false;         // a call runs that will decide whether to close
    Instant closed_until_ = {};  // nobody is sent before
};

}  // namespace brigada
