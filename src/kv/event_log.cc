#include "kv/event_log.h"

#include <utility>

namespace brigada {

void EventLog::stored(BlockKey key, std::optional<BlockKey> parent,
                      std::span<const TokenId> tokens) {
    if (!room_for_one()) return;
    auto* last = events_.empty() ? nullptr : std::get_if<KvStored>(&events_.back());
    if (last == nullptr || last->keys.back() != parent) {
        events_.push_back(KvStored{{}, parent, {}});
        last = std::get_if<KvStored>(&events_.back());
    }
    last->keys.push_back(key);
    last->tokens.insert(last->tokens.end(), tokens.begin(), tokens.end());
}

void EventLog::removed(BlockKey key) {
    if (!room_for_one()) return;
    auto* last = events_.empty() ? nullptr : std::get_if<KvRemoved>(&events_.back());
    if (last == nullptr) {
        events_.push_back(KvRemoved{});
        last = std::get_if<KvRemoved>(&events_.back());
    }
    last->keys.push_back(key);
}

void EventLog::cleared() {
    if (!recording()) return;
    events_.assign(1, KvCleared{});
    blocks_ = 0;
    overflowed_ = false;
}

std::vector<KvEvent> EventLog::drain() {
    blocks_ = 0;
    overflowed_ = false;
    return std::exchange(events_, {});
}

bool EventLog::room_for_one() {
    if (!recording() || overflowed_) return false;
    if (blocks_ < max_blocks_) {
        ++blocks_;
        return true;
    }
    overflowed_ = true;
    events_.assign(1, KvCleared{});
    return false;
}

}  // namespace brigada
