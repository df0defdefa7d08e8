#include "admit/replica_share.h"

#include "base/check.h"

namespace brigada {

ReplicaShare::ReplicaShare(int64_t replicas, Duration patience, Instant started)
    : replicas_(replicas), patience_(patience), last_sent_(started) {
    CHECK(replicas >= 1 && patience < kGone);
    alone_ = alone_since(started, started);
}

// What was sent last was taken within `patience`; kGone later the books hold the replica for gone,
// and a minute after that nothing counts any more that they admitted before.
Alone ReplicaShare::alone_since(Instant silent, Instant lost) const {
    return {.replicas = replicas_,
            .lost = lost,
            .settled = silent + patience_ + kGone + kSpan + kDrift};
}

void ReplicaShare::joining(Instant now) {
    sent(now);
    if (!alone_) return;
    before_joining_ = *alone_;
    alone_.reset();
}

void ReplicaShare::turned_away() {
    if (!alone_) alone_ = before_joining_;
}

// An answer took up to `patience`, so what is counted here was counted there up to so much earlier:
// what leaves the span within two patiences may have left the books.
void ReplicaShare::lost() {
    if (!alone_) alone_ = alone_since(last_sent_, last_sent_ + patience_ * 2);
}

void ReplicaShare::saw(int64_t connected) {
    replicas_ = std::max(replicas_, connected);
    if (alone_) alone_->replicas = replicas_;
}

void ReplicaShare::check() const {
    CHECK(replicas_ >= 1);
    if (!alone_) return;
    CHECK(alone_->lost + kGone + kSpan <= alone_->settled + patience_);
    CHECK(alone_->replicas <= replicas_);
}

}  // namespace brigada
