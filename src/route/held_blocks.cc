#include "route/held_blocks.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/ids.h"

namespace brigada {
namespace {

constexpr size_t kAhead = 8;  // keys: as many fetches as a core has under way

}  // namespace

HeldBlocks::HeldBlocks(uint32_t capacity, BlockHolders& holders)
    : holders_(holders),
      holder_(holders.add_holder(capacity)),
      limit_(capacity),
      nodes_(capacity, Node{.parent = kFree}) {
    CHECK(capacity < kFree);
    clear();
}

HeldBlocks::~HeldBlocks() {
    clear();
    holders_.remove_holder(holder_);
}

size_t HeldBlocks::bytes() const {
    return nodes_.capacity() * sizeof(Node) + leaves_.capacity() * sizeof(uint32_t);
}

void HeldBlocks::clear() {
    leaves_.clear();
    blocks_ = 0;
    free_ = kNone;
    for (uint32_t i = capacity(); i > 0; --i) {
        if (nodes_[i - 1].parent != kFree) holders_.remove(holder_, i - 1);
        free_node(i - 1);
    }
}

void HeldBlocks::free_node(uint32_t node) {
    nodes_[node] = Node{.parent = kFree, .next_sibling = std::exchange(free_, node)};
}

// --- finding ------------------------------------------------------------------------------------

// Bisection: 13 looks for 6,250 keys.
uint32_t HeldBlocks::match(std::span<const BlockKey> keys, uint32_t guess) const {
    size_t held = 0;
    size_t missing = keys.size() + 1;
    const auto look = [&](size_t count) {
        (find(keys[count - 1]) != kNone ? held : missing) = count;
    };
    if (guess > 0 && guess < missing) look(guess);
    if (guess > 0 && held == guess && guess + 1 < missing) look(guess + 1);
    while (missing - held > 1)
        look(held + (missing - held) / 2);
    return static_cast<uint32_t>(held);
}

// --- adding and using ---------------------------------------------------------------------------

void HeldBlocks::insert(std::span<const BlockKey> keys, uint32_t guess) {
    ++step_;
    const uint32_t held = match(keys, guess);
    append(held == 0 ? kNone : find(keys[held - 1]), keys.subspan(held));
}

void HeldBlocks::extend(std::optional<BlockKey> parent, std::span<const BlockKey> keys) {
    const uint32_t above = parent ? find(*parent) : kNone;
    if (parent && above == kNone) return;
    ++step_;
    append(above, keys);
}

void HeldBlocks::append(uint32_t here, std::span<const BlockKey> keys) {
    for (size_t i = 0; i < keys.size(); ++i) {
        if (i + kAhead < keys.size()) holders_.expect(keys[i + kAhead]);
        const BlockKey key = keys[i];
        uint32_t next = find(key);
        if (next == kNone) {
            if (!make_room(here)) break;
            next = add(key, here);
        } else if (here != kNone) {
            list_if_leaf(here);  // an engine named a parent that is not the one we know
        }
        here = next;
    }
    if (here != kNone) use(here);
}

// The node that the next key will hang from is not listed meanwhile, so that making room for a
// child never takes its parent.
bool HeldBlocks::make_room(uint32_t spared) {
    if (blocks_ < limit_) return true;
    if (spared != kNone) unlist(spared);
    if (leaves_.empty()) return false;
    evict_leaf(spared);
    return true;
}

uint32_t HeldBlocks::add(BlockKey key, uint32_t parent) {
    const uint32_t added = free_;
    Node& node = nodes_[added];
    free_ = node.next_sibling;
    node = Node{.last_used = step_, .parent = parent};
    holders_.add(key, holder_, added);
    if (parent != kNone) {
        unlist(parent);
        node.next_sibling = std::exchange(nodes_[parent].first_child, added);
        if (node.next_sibling != kNone) nodes_[node.next_sibling].previous_sibling = added;
    }
    ++blocks_;
    return added;
}

void HeldBlocks::use(uint32_t node) {
    unlist(node);
    nodes_[node].last_used = step_;
    list_if_leaf(node);
}

// --- removing -----------------------------------------------------------------------------------

void HeldBlocks::evict_leaf(uint32_t spared) {
    const uint32_t leaf = leaves_.front();
    const uint32_t parent = nodes_[leaf].parent;
    if (parent != kNone) holders_.expect(holders_.key(holder_, parent));  // probably the next
    erase(leaf);
    if (parent != kNone && parent != spared) list_if_leaf(parent);
}

void HeldBlocks::remove(BlockKey key) {
    const uint32_t top = find(key);
    if (top == kNone) return;
    const uint32_t parent = nodes_[top].parent;
    for (uint32_t node = top; node != parent;) {
        while (nodes_[node].first_child != kNone)
            node = nodes_[node].first_child;
        const uint32_t above = nodes_[node].parent;
        erase(node);
        node = above;
    }
    if (parent != kNone) list_if_leaf(parent);
}

// A use is noted only where it ended. The block above was last used at the latest of the uses noted
// at itself and below, and hears of those when the blocks below go.
void HeldBlocks::erase(uint32_t node) {
    const Node& gone = nodes_[node];
    CHECK(gone.first_child == kNone);
    if (gone.parent != kNone) {
        Node& above = nodes_[gone.parent];
        above.last_used = std::max(above.last_used, gone.last_used);
    }
    unlist(node);
    holders_.remove(holder_, node);
    unlink_from_parent(node);
    free_node(node);
    --blocks_;
}

void HeldBlocks::unlink_from_parent(uint32_t node) {
    const uint32_t parent = nodes_[node].parent;
    const uint32_t next = nodes_[node].next_sibling;
    const uint32_t previous = nodes_[node].previous_sibling;
    if (next != kNone) nodes_[next].previous_sibling = previous;
    if (previous != kNone) nodes_[previous].next_sibling = next;
    if (parent != kNone && previous == kNone) nodes_[parent].first_child = next;
}

void HeldBlocks::set_limit(uint32_t blocks) {
    limit_ = std::min(blocks, capacity());
    while (blocks_ > limit_)
        evict_leaf(kNone);
}

// --- the heap of leaves ------------------------------------------------------------------------

bool HeldBlocks::goes_before(uint32_t a, uint32_t b) const {
    return std::pair(nodes_[a].last_used, a) < std::pair(nodes_[b].last_used, b);
}

void HeldBlocks::list_if_leaf(uint32_t node) {
    if (nodes_[node].first_child != kNone || nodes_[node].heap_place != kNone) return;
    leaves_.push_back(node);
    settle(static_cast<uint32_t>(leaves_.size() - 1));
}

void HeldBlocks::unlist(uint32_t node) {
    const uint32_t place = std::exchange(nodes_[node].heap_place, kNone);
    if (place == kNone) return;
    const uint32_t last = leaves_.back();
    leaves_.pop_back();
    if (last == node) return;
    leaves_[place] = last;
    settle(place);
}

void HeldBlocks::put(uint32_t place, uint32_t node) {
    leaves_[place] = node;
    nodes_[node].heap_place = place;
}

// Moves the node at `place` up or down to where it belongs.
void HeldBlocks::settle(uint32_t place) {
    const uint32_t node = leaves_[place];
    for (; place > 0 && goes_before(node, leaves_[(place - 1) / 2]); place = (place - 1) / 2)
        put(place, leaves_[(place - 1) / 2]);
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child + 1 < leaves_.size() && goes_before(leaves_[child + 1], leaves_[child])) ++child;
        if (child >= leaves_.size() || !goes_before(leaves_[child], node)) break;
        put(place, leaves_[child]);
        place = child;
    }
    put(place, node);
}

// --- proof --------------------------------------------------------------------------------------

void HeldBlocks::check() const {
    CHECK(blocks_ <= limit_ && limit_ <= capacity());
    uint32_t held = 0;
    uint32_t listed = 0;
    for (uint32_t node = 0; node < capacity(); ++node) {
        if (nodes_[node].parent == kFree) continue;
        check_node(node);
        ++held;
        if (nodes_[node].first_child == kNone) ++listed;
    }
    CHECK(held == blocks_ && listed == leaves_.size());
    uint32_t free = 0;
    for (uint32_t node = free_; node != kNone; node = nodes_[node].next_sibling)
        CHECK(++free <= capacity(), "the free list has a loop");
    CHECK(free + blocks_ == capacity(), free, " free, ", blocks_, " held");
    for (uint32_t place = 1; place < leaves_.size(); ++place)
        CHECK(!goes_before(leaves_[place], leaves_[(place - 1) / 2]));
}

void HeldBlocks::check_node(uint32_t node) const {
    const Node& here = nodes_[node];
    CHECK(find(holders_.key(holder_, node)) == node, "two nodes have one key");
    const bool is_leaf = here.first_child == kNone;
    CHECK(is_leaf == (here.heap_place != kNone));
    if (is_leaf) CHECK(leaves_[here.heap_place] == node);
    if (here.parent != kNone) CHECK(nodes_[here.parent].parent != kFree, "an orphan");
    uint32_t before = kNone;
    for (uint32_t child = here.first_child; child != kNone; child = nodes_[child].next_sibling) {
        CHECK(nodes_[child].parent == node && nodes_[child].previous_sibling == before);
        before = child;
    }
}

}  // namespace brigada
