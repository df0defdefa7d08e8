#include "gateway/breaker.h"

#include <algorithm>

#include "base/check.h"

namespace brigada {

bool Breaker::allows(Instant now) const {
    return now >= closed_until_ && !trial_;
}

Instant Breaker::allows_from(Instant now) const {
    return trial_ ? Instant::never() : std::max(now, closed_until_);
}

void Breaker::begin(Instant now) {
    CHECK(allows(now));
    trial_ = open();
}

void Breaker::succeeded() {
    failures_ = 0;
    trial_ = false;
}

void Breaker::failed(Instant now) {
    trial_ = false;
    ++failures_;
    if (!open()) return;
    const int trials = failures_ - config_.allowed_failures - 1;  // that failed so far
    Duration cooldown = config_.cooldown;
    for (int i = 0; i < trials && cooldown < config_.longest_cooldown; ++i)
        cooldown = cooldown * 2;
    closed_until_ = std::max(closed_until_, now + std::min(cooldown, config_.longest_cooldown));
}

void Breaker::told_to_wait(Duration pause, Instant now) {
    trial_ = false;
    const Duration wanted = std::max(pause, config_.cooldown);
    closed_until_ = std::max(closed_until_, now + std::min(wanted, config_.longest_pause));
}

void Breaker::abandoned() {
    trial_ = false;
}

void Breaker::forgive() {
    if (open()) closed_until_ = {};
    failures_ = 0;
    trial_ = false;
}

void Breaker::check() const {
    CHECK(failures_ >= 0);
    CHECK(!trial_ || open(), "a trial of an upstream that is trusted");
}

}  // namespace brigada
