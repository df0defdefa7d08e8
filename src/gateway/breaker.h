// Breaker: whether an upstream should be asked now. Failures of the upstream open it for a
// cooldown, then one call at a time tries it; what a client did wrong never counts. A call may make
// any upstream fail by what is in it, so failures that one tenant alone has seen open it for that
// tenant alone. An upstream that says "not now" (429, 503) is left alone for as long as it asks,
// which is not a failure; where it does not say how long, only by the tenant that it said it to,
// until another one hears it too: it may have meant that one call. Pure: no clock.
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

/// Whose call it was: a hash of the tenant.
enum class Witness : uint64_t {};

/// Of what no call can have caused: there was no connection. It holds for all.
inline constexpr Witness kEverybody{0};

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

    /// Whether a call of that tenant may go there now. Asks nothing and changes nothing.
    bool allows(Instant now, Witness witness = kEverybody) const;
    /// When it will next allow one; `now` when it does already. never() while a trial runs.
    Instant allows_from(Instant now, Witness witness = kEverybody) const;

    /// A call goes there; the caller has asked allows(). Every begin() is followed by one of the
    /// four below.
    void begin(Instant now, Witness witness = kEverybody);

    void succeeded();  // any answer that was not the upstream's failure
    void failed(Instant now, Fault fault = Fault::internal, Witness witness = kEverybody);
    /// 429 or 503, and its Retry-After if one came.
    void told_to_wait(std::optional<Duration> asked, Instant now, Witness witness = kEverybody);
    void abandoned();  // the client left: says nothing about the upstream

    bool open() const { return open_for(kEverybody); }
    bool open_for(Witness witness) const;
    bool open_for_one() const { return failed_too_often() && seen_by_ != kEverybody; }
    int failures() const { return failures_; }

    void check() const;

  private:
    /// No call is sent before a time, or none of one tenant.
    struct Hold {
        Instant until = {};
        Witness whom = kEverybody;

        Instant for_one(Witness witness) const {
            return whom == kEverybody || whom == witness ? until : Instant();
        }
    };

    bool failed_too_often() const;
    void forget_failures();
    void close(Instant until);

    BreakerConfig config_;
    int failures_ = 0;  // in a row, of any kind
    std::array<int, kFaults> by_fault_ = {};
    Witness seen_by_ = kEverybody;  // the one tenant that saw them all, if there is one
    int failed_trials_ = 0;         // since it opened
    bool trial_ = false;            // a call runs that will decide whether to close
    Hold closed_ = {};              // after failures
    Hold paused_ = {};              // as it was asked for
};

}  // namespace brigada
