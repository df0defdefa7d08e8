// Limiter: requests per minute, tokens per minute and concurrent calls, for every scope a call
// counts against at once. Reserve before the call with an estimate, settle after it with the truth.
// A core: no clock, no lock; `now` never goes back from one call to the next.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "admit/replica_share.h"
#include "admit/scope.h"
#include "admit/sliding_window.h"
#include "base/ids.h"
#include "base/time.h"

namespace brigada {

enum class RateReservation : uint64_t {};

/// What one scope may use; what is not given is not limited.
struct Limits {
    std::optional<int64_t> requests_per_minute = {};
    std::optional<int64_t> tokens_per_minute = {};
    std::optional<int64_t> concurrent = {};

    bool none() const { return !requests_per_minute && !tokens_per_minute && !concurrent; }
    friend bool operator==(const Limits&, const Limits&) = default;
};

enum class LimitKind { requests, tokens, concurrency };

/// Which limit refused a call. Of several, the one with the longest wait.
struct RateRefusal {
    ScopeId scope = {};
    LimitKind kind = {};
    int64_t limit = 0;
    int64_t remaining = 0;
    bool never_fits = false;  // the call alone is over the limit: no waiting helps

    /// When the call would fit if nothing else came. Nothing if it never fits, and for concurrency,
    /// where a running call must end first and nobody knows when.
    std::optional<Duration> retry_after = {};

    friend bool operator==(const RateRefusal&, const RateRefusal&) = default;
};

/// What is left under one limit, and after how long all of it is free again.
struct Room {
    int64_t limit = 0;
    int64_t remaining = 0;
    Duration reset = {};

    friend bool operator==(const Room&, const Room&) = default;
};

/// For x-ratelimit-*: of the scopes asked about, the room of the one with the least left.
struct Headroom {
    std::optional<Room> requests = {};
    std::optional<Room> tokens = {};
};

class Limiter {
  public:
    /// New limits hold from the next reservation on; what was used so far counts against them.
    void set_limits(ScopeId scope, const Limits& limits);

    /// As they were set; none for a scope that is not known.
    Limits limits(ScopeId scope) const;

    /// The scope has no limits any more. Its use is remembered until it has left the span, so
    /// setting limits again soon loses nothing.
    void remove(ScopeId scope) { set_limits(scope, {}); }

    /// One call of about `tokens` tokens, weighted by the caller, for all of `scopes` (each at most
    /// once; those without limits do not count). A refused call consumes nothing anywhere.
    std::expected<RateReservation, RateRefusal> reserve(std::span<const ScopeId> scopes,
                                                        int64_t tokens, Instant now);

    /// A call that all replicas together have let in: counts it as reserve() does, without asking.
    RateReservation take(std::span<const ScopeId> scopes, int64_t tokens, Instant now);

    /// How limits hold from now on: not given, in full; else as a replica that decides alone keeps
    /// them. What was in use when it lost the others is looked up as scopes are asked for.
    void set_alone(const std::optional<Alone>& alone);

    /// The call ended and had `tokens`. They count from when it was reserved, so nothing changes
    /// for a call whose minute is over.
    void settle(RateReservation id, int64_t tokens);

    /// The call never reached an upstream: gives everything back.
    void cancel(RateReservation id);

    /// What of a scope's limits is in use here.
    struct Use {
        struct Entry {
            Duration age = {};
            int64_t requests = 0;
            int64_t tokens = 0;
        };
        std::vector<Entry> entries = {};  // of the last 60 seconds, oldest first
        int64_t running = 0;
    };
    Use use(ScopeId scope, Instant now) const;
    std::vector<ScopeId> in_use() const;

    Headroom headroom(std::span<const ScopeId> scopes, Instant now) const;

    /// Looks at the next `looks` scopes in turn: gives back the memory of old use, and forgets a
    /// scope that has neither limits nor use. A shell calls it now and then; a few at a time cost a
    /// few microseconds.
    void sweep(Instant now, size_t looks);

    size_t scopes() const { return scopes_.size(); }
    size_t reservations() const { return reservations_.size(); }

    /// Proves that what runs in every scope is what is reserved there. O(scopes + reservations).
    void check() const;

  private:
    struct Scope {
        ScopeId id{};
        Limits limits;
        SlidingWindow requests;
        SlidingWindow tokens;
        int64_t running = 0;  // reservations that name it; it is not forgotten while there are any

        // What was in use when this replica lost the others, for the `loss`th time.
        uint64_t loss = 0;
        int64_t requests_when_lost = 0;
        int64_t tokens_when_lost = 0;
        int64_t running_when_lost = 0;
    };

    struct Hold {
        Scope* scope = nullptr;  // stays where it is: unordered_map does not move its nodes
        SlotId request{};
        SlotId tokens{};
    };

    struct Reservation {
        int64_t tokens = 0;
        std::vector<Hold> holds;
    };

    std::vector<Hold> find(std::span<const ScopeId> scopes);
    std::optional<RateRefusal> refusal(const Scope& scope, int64_t tokens, Instant now) const;
    RateReservation take(std::vector<Hold> holds, int64_t tokens, Instant now);
    void look_back(Scope& scope) const;
    Limits in_force(const Scope& scope, Instant now) const;
    Reservation take_out(RateReservation id);

    std::unordered_map<ScopeId, Scope> scopes_;
    std::vector<ScopeId> sweep_order_;  // every scope once
    size_t sweep_next_ = 0;
    std::unordered_map<RateReservation, Reservation> reservations_;
    uint64_t next_id_ = 1;
    std::optional<Alone> alone_;
    Instant last_lost_;
    uint64_t losses_ = 0;
};

}  // namespace brigada
