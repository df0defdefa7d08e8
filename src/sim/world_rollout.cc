// A rolling update: one replica after the other is drained, restarted and back, with an empty
// cache.
#include "sim/world.h"

namespace brigada {

namespace {

enum Stage : uint64_t { begins, drained_long_enough, is_back };

}  // namespace

void World::rollout(const Event& event) {
    const uint32_t place = event.who;
    if (event.which == begins) return roll_on(0);
    if (rolling_ != place) return;  // it is long done
    if (event.which == is_back) {
        start(place);
        return roll_on(place + 1);
    }
    if (places_[place].presence == Presence::serving) return roll_on(place + 1);  // others did it
    lose(place);
}

/// With the next replica that serves, from `place` on.
void World::roll_on(uint32_t place) {
    while (place < places_.size() && places_[place].presence != Presence::serving)
        ++place;
    rolling_.reset();
    rollout_s_ = (now_ - setup_.rollout->at).seconds();
    if (place == places_.size()) return;
    rolling_ = place;
    drain(place);
    events_.add(now_ + setup_.rollout->longest_drain, EventKind::rollout, place,
                drained_long_enough);
    wake_soon(place);
}

/// Its last call is answered or cut off.
void World::restart(uint32_t place) {
    tell(place, "restarts");
    retire(place);
    events_.add(now_ + setup_.rollout->restart, EventKind::rollout, place, is_back);
}

}  // namespace brigada
