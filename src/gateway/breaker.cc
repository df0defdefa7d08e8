#include "gateway/breaker.h"

#include <algorithm>

#include "base/check.h"

namespace brigada {

bool Breaker::allows(Instant now, Witness witness) const {
    return allows_from(now, witness) <= now;
}

Instant Breaker::allows_from(Instant now, Witness witness) const {
    if (trial_ && open_for(witness)) return Instant::never();
    return std::max({now, paused_.for_one(witness), closed_.for_one(witness)});
}

void Breaker::begin(Instant now, Witness witness) {
    CHECK(allows(now, witness));
    if (open_for(witness)) trial_ = true;
}

bool Breaker::open_for(Witness witness) const {
    return failed_too_often() && (seen_by_ == kEverybody || seen_by_ == witness);
}

bool Breaker::failed_too_often() const {
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
    seen_by_ = kEverybody;
    trial_ = false;
}

void Breaker::succeeded() {
    forget_failures();
}

void Breaker::failed(Instant now, Fault fault, Witness witness) {
    const bool was_open = open_for(witness);
    trial_ = false;
    seen_by_ = failures_ == 0 || seen_by_ == witness ? witness : kEverybody;
    ++failures_;
    ++by_fault_[static_cast<size_t>(fault)];
    if (!failed_too_often()) return;
    failed_trials_ = was_open ? failed_trials_ + 1 : 0;
    Duration cooldown = config_.cooldown;
    for (int i = 0; i < failed_trials_ && cooldown < config_.longest_cooldown; ++i)
        cooldown = cooldown * 2;
    close(now + std::min(cooldown, config_.longest_cooldown));
}

/// For those who saw the failures.
void Breaker::close(Instant until) {
    closed_ = {closed_.whom == seen_by_ ? std::max(closed_.until, until) : until, seen_by_};
}

void Breaker::told_to_wait(std::optional<Duration> asked, Instant now, Witness witness) {
    trial_ = false;
    const Duration wanted = std::max(asked.value_or(Duration()), config_.cooldown);
    const Hold before = now < paused_.until ? paused_ : Hold{{}, witness};
    const bool is_for_one = !asked && before.whom == witness;
    paused_ = {std::max(before.until, now + std::min(wanted, config_.longest_pause)),
               is_for_one ? witness : kEverybody};
}

void Breaker::abandoned() {
    trial_ = false;
}

void Breaker::forgive() {
    closed_ = {};
    forget_failures();
}

void Breaker::check() const {
    CHECK(failures_ >= 0);
    CHECK(!trial_ || failed_too_often(), "a trial of an upstream that is trusted");
    CHECK(failures_ > 0 || seen_by_ == kEverybody);
}

}  // namespace brigada
