// EventLog: what the prefix tree stored and removed, for whoever mirrors it (a router's index). Off
// by default; bounded when on. A mirror that fell behind is told to forget everything and is sent
// the tree as it stands, so what it believes after a drain is always true.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "kv/block_key.h"

namespace brigada {

/// Blocks that became matchable, in order, each the continuation of the one before.
struct KvStored {
    std::vector<BlockKey> keys;
    std::optional<BlockKey>
        parent;     // the first block's parent; a scope's virtual key or none at the root
    Tokens tokens;  // keys.size() * block_tokens
};

struct KvRemoved {
    std::vector<BlockKey> keys;
};

/// Forget everything. What follows in the same drain is the tree as it stands.
struct KvCleared {};

using KvEvent = std::variant<KvStored, KvRemoved, KvCleared>;

class EventLog {
  public:
    /// Remembers at most `max_blocks` stored and removed blocks between two drains; 0 records
    /// nothing.
    explicit EventLog(uint32_t max_blocks) : max_blocks_(max_blocks) {}

    bool recording() const { return max_blocks_ > 0; }

    void stored(BlockKey key, std::optional<BlockKey> parent, std::span<const TokenId> tokens);
    void removed(BlockKey key);
    void cleared();

    /// True when more happened than was remembered: the owner must append the tree as it stands.
    bool overflowed() const { return overflowed_; }

    /// Everything since the last drain, oldest first. After an overflow only KvCleared.
    std::vector<KvEvent> drain();

  private:
    bool room_for_one();

    uint32_t max_blocks_;
    uint32_t blocks_ = 0;
    bool overflowed_ = false;
    std::vector<KvEvent> events_;
};

}  // namespace brigada
