#include "load/player.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace brigada {

namespace {

Instant later(Instant from, Duration by) {
    return by == Duration::max() ? Instant::never() : from + by;
}

}  // namespace

Player::Player(const Trace& trace, PlayOptions options, Instant start)
    : trace_(trace),
      options_(options),
      start_(start),
      end_(later(start, options.duration)),
      rng_(options.seed),
      arrivals_(options.arrivals, rng_.next()) {
    for (uint32_t i = 0; i < trace_.sessions.size(); ++i) {
        const TraceSession& session = trace_.sessions[i];
        CHECK(!session.calls.empty(), "session ", i, " has no call");
        if (session.parent)
            children_[{session.parent->session, session.parent->call}].push_back(i);
        else
            roots_.push_back(i);
    }
    CHECK(!roots_.empty(), "a trace without a session");
    // Recorded sessions begin in the order of their starts, whatever order the trace has.
    if (options_.pace == Pace::recorded)
        std::ranges::sort(roots_, {}, [&](uint32_t session) {
            return std::pair(trace_.sessions[session].start, session);
        });
    recorded_begin_ = trace_.sessions[roots_.front()].start;
    begin_first_sessions();
}

void Player::begin_first_sessions() {
    if (options_.pace != Pace::closed) {
        next_arrival_ = start_;
        return;
    }
    for (uint32_t i = 0; i < options_.sessions && has_next_root(); ++i)
        begin_root(start_ + options_.ramp * i / options_.sessions, options_.mid_session);
}

bool Player::has_next_root() const {
    return begun_roots_ < roots_.size() || (options_.repeats && options_.pace != Pace::recorded);
}

void Player::begin_root(Instant at, bool mid_session) {
    const uint32_t session = roots_[begun_roots_ % roots_.size()];
    const auto round = static_cast<uint32_t>(begun_roots_ / roots_.size());
    ++begun_roots_;
    const size_t calls = trace_.sessions[session].calls.size();
    begin(session, mid_session ? static_cast<uint32_t>(rng_.below(calls)) : 0, round, 0, at);
}

uint64_t Player::begin(uint32_t session, uint32_t call, uint32_t round, uint64_t parent,
                       Instant at) {
    const uint64_t play = next_play_++;
    plays_[play] = {.session = session,
                    .call = call,
                    .round = round,
                    .parent = parent,
                    .root = parent == 0 ? play : plays_.at(parent).root,
                    .ready = {}};
    make_due(play, at);
    return play;
}

void Player::make_due(uint64_t play, Instant at) {
    due_.emplace(at, play);
}

// Of open and recorded: the root that begins now has begun; when does the one after it?
void Player::plan_arrival() {
    const Instant now = next_arrival_;
    next_arrival_ = Instant::never();
    if (!has_next_root()) return;
    if (options_.pace == Pace::open) {
        next_arrival_ = now + arrivals_.next_gap();
        return;
    }
    next_arrival_ = start_ + scaled(trace_.sessions[roots_[begun_roots_]].start - recorded_begin_);
}

Duration Player::scaled(Duration recorded) const {
    if (options_.time_scale == 1) return recorded;
    return Duration::nanoseconds(
        std::llround(static_cast<double>(recorded.ns()) * options_.time_scale));
}

Duration Player::gap_before(const TraceCall& call, bool went_well) const {
    const Duration gap = std::min(std::max(scaled(call.gap), Duration()), options_.max_gap);
    return went_well ? gap : std::max(gap, options_.pause_after_failure);
}

Instant Player::next_due() const {
    if (taken_ >= options_.max_calls) return Instant::never();
    const Instant begun = due_.empty() ? Instant::never() : due_.top().first;
    const bool held = options_.concurrency > 0 && under_way_ >= options_.concurrency;
    const Instant next = std::min(next_arrival_, held ? Instant::never() : begun);
    return next >= end_ ? Instant::never() : next;
}

std::optional<DueCall> Player::take(Instant now) {
    while (next_arrival_ <= now && next_arrival_ < end_) {
        begin_root(next_arrival_, false);
        plan_arrival();
    }
    if (taken_ >= options_.max_calls || due_.empty()) return {};
    if (due_.top().first > now || due_.top().first >= end_) return {};
    if (options_.concurrency > 0 && under_way_ >= options_.concurrency) return {};
    const auto [due, id] = due_.top();
    due_.pop();
    Play& play = plays_.at(id);
    play.sent = true;
    ++taken_;
    ++under_way_;
    return DueCall{.play = id,
                   .root = play.root,
                   .session = play.session,
                   .call = play.call,
                   .round = play.round,
                   .due = due,
                   .last = play.call + 1 == trace_.sessions[play.session].calls.size()};
}

void Player::ended(uint64_t id, Instant now, bool went_well) {
    Play& play = plays_.at(id);
    CHECK(play.sent, "play ", id, " has no call under way");
    play.sent = false;
    play.failed = !went_well;
    --under_way_;
    const TraceSession& session = trace_.sessions[play.session];
    play.answered_all = play.call + 1 == session.calls.size();
    if (!play.answered_all) play.ready = now + gap_before(session.calls[play.call + 1], went_well);
    begin_children(id, now);
    ++play.call;
    if (play.children > 0) return;
    if (play.answered_all)
        finish(id, now);
    else
        make_due(id, play.ready);
}

void Player::begin_children(uint64_t id, Instant now) {
    const Play parent = plays_.at(id);
    const auto found = children_.find({parent.session, parent.call});
    if (found == children_.end()) return;
    for (const uint32_t child : found->second) {
        const Duration after = scaled(trace_.sessions[child].start - Instant());
        begin(child, 0, parent.round, id, now + std::min(after, options_.max_gap));
        ++plays_.at(id).children;
    }
}

// All of a play is over, its children too: its parent may go on, or the next session begins.
void Player::finish(uint64_t id, Instant now) {
    const auto [parent_id, failed] = std::pair(plays_.at(id).parent, plays_.at(id).failed);
    plays_.erase(id);
    if (parent_id == 0) {
        const Instant next = failed ? now + options_.pause_after_failure : now;
        if (options_.pace == Pace::closed && has_next_root()) begin_root(next, false);
        return;
    }
    Play& parent = plays_.at(parent_id);
    if (--parent.children > 0) return;
    if (parent.answered_all)
        finish(parent_id, now);
    else
        make_due(parent_id, std::max(parent.ready, now));
}

bool Player::over(Instant now) const {
    if (taken_ >= options_.max_calls || now >= end_) return true;
    if (under_way_ > 0) return false;  // its answer may make more due
    const Instant begun = due_.empty() ? Instant::never() : due_.top().first;
    return std::min(begun, next_arrival_) >= end_;
}

uint64_t Player::held_back(Instant now) const {
    const bool is_limit = options_.concurrency > 0 && taken_ < options_.max_calls;
    if (!is_limit) return 0;
    uint64_t out = 0;
    for (auto due = due_; !due.empty() && due.top().first <= now; due.pop())
        out += due.top().first < end_;
    return out;
}

void Player::check() const {
    uint32_t sent = 0;
    size_t waiting = 0;
    std::map<uint64_t, uint32_t> children;
    for (const auto& [id, play] : plays_) {
        sent += play.sent;
        waiting += !play.sent && play.children == 0;
        if (play.parent != 0) {
            CHECK(plays_.contains(play.parent), "play ", id, " outlived its parent");
            ++children[play.parent];
        }
    }
    CHECK(sent == under_way_, sent, " sent, ", under_way_, " under way");
    CHECK(waiting == due_.size(), waiting, " wait, ", due_.size(), " due");
    for (const auto& [id, play] : plays_)
        CHECK(play.children == children[id], "play ", id);
}

}  // namespace brigada
