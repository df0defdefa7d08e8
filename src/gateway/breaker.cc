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

bool Breaker::open() const {
    int others = 0;
    for (size_t i = 0; i < kFaults; ++i) {
        const auto& allowed = config_.allowed_by_fault[i];
        if (allowed && by_fault_[i] > *allowed) return true;
        if (!allowed) others += by_fault_[i];
    }
    return others > config_.allowed_failures;
}

void Breaker::forget_failures() {
    failures_ = failed_trials_ = 0;
    by_fault_ = {};
    trial_ = false;
}

void Breaker::succeeded() {
    forget_failures();
}

void Breaker::failed(Instant now, Fault fault) {
    trial_ = false;
    const bool was_open = open();
    ++failures_;
    ++by_fault_[static_cast<size_t>(fault)];
    if (!open()) return;
    failed_trials_ = was_open ? failed_trials_ + 1 : 0;
    Duration cooldown = config_.cooldown;
    for (int i = 0; i < failed_trials_ && cooldown < config_.longest_cooldown; ++i)
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
    forget_failures();
}

void Breaker::check() const {
    CHECK(failures_ >= 0);
    CHECK(!trial_ || open(), "a trial of an upstream that is trusted");
}

}  // namespace brigada
