// ReplicaShare: may a replica decide alone, and about how much? Replicas count together in books
// that they share; one that can't reach them goes on within its share of every limit, so that all
// of them together never admit more than the limit in any 60 seconds. A core: what was sent, heard
// and lost goes in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/time.h"

namespace brigada {

/// How a replica limits itself while it decides alone.
struct Alone {
    int64_t replicas = 1;  // of every limit, one part in so many is its share

    /// Before `settled` it admits no more than was in use here at `lost`, and no more than its
    /// share: the others may have used all the rest.
    Instant lost = {};
    /// From here on it may use its whole share: the books have kept it free for a minute.
    Instant settled = {};

    /// The most that may be in use here under a limit.
    int64_t cap(int64_t limit, int64_t used_when_lost, Instant now) const {
        const int64_t share = limit / replicas;
        return now < settled ? std::min(share, used_when_lost) : share;
    }

    friend bool operator==(const Alone&, const Alone&) = default;
};

/// Why the sum holds. The books count an entry of a replica until 60 seconds have passed *and* they
/// have heard from that replica since, so what was in use at a replica that fell silent stays
/// counted. After kGone of silence they keep its share free. So a replica that lost the books may
/// at once go on with what it had in use, and a minute after they must have noticed with its share,
/// whether the books are still there for others or not.
class ReplicaShare {
  public:
    /// The books hold a replica for gone when they have not heard of it for so long.
    static constexpr Duration kGone = Duration::seconds(3);
    static constexpr Duration kSpan = Duration::seconds(60);
    /// Clocks of two machines may run apart by so much in a minute.
    static constexpr Duration kDrift = Duration::seconds(1);

    /// `replicas`: the most that run at once. `patience`: what is sent is answered, or not taken
    /// any more, after so long. A new replica knows nothing of what was admitted before it began.
    ReplicaShare(int64_t replicas, Duration patience, Instant started);

    /// A message to the books left that may change what they know of this replica.
    void sent(Instant now) { last_sent_ = std::max(last_sent_, now); }

    /// The message by which it joins left. From now on the books decide.
    void joining(Instant now);

    /// They answered that they can't let it in yet: it is as alone as it was.
    void turned_away();

    /// No answer came in time, or the connection broke: alone from now on.
    void lost();

    /// So many replicas are known to be connected. More than were promised: shares are smaller.
    void saw(int64_t connected);

    /// How to decide alone. Nothing: the books decide.
    const std::optional<Alone>& alone() const { return alone_; }

    int64_t replicas() const { return replicas_; }

    /// Proves that a lone replica never hurries: its minute begins when the books have noticed.
    void check() const;

  private:
    Alone alone_since(Instant silent, Instant lost) const;

    int64_t replicas_;
    Duration patience_;
    Instant last_sent_;
    std::optional<Alone> alone_;
    Alone before_joining_;
};

}  // namespace brigada
