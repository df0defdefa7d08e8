#include "grammar/recogniser.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace brigada {

namespace {

/// Mixes a number into a hash: the finaliser of splitmix64.
uint64_t mixed(uint64_t hash, uint64_t value) {
    uint64_t z = hash * 0x9e3779b97f4a7c15 + value;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

}  // namespace

Recogniser::Recogniser(std::shared_ptr<const Grammar> grammar)
    : grammar_(std::move(grammar)),
      classes_(grammar_->byte_classes()),
      byte_of_class_(classes_),
      closing_(grammar_->states()) {
    for (int byte = 255; byte >= 0; --byte)
        byte_of_class_[grammar_->byte_class(static_cast<uint8_t>(byte))] =
            static_cast<uint8_t>(byte);
    frame_of({});
    add_place({});
    std::fill(next_.begin(), next_.end(), raw(kDead));
    for (uint32_t rule = 0; rule < grammar_->rules(); ++rule)
        rule_frames_.push_back(frame_of({grammar_->start(rule)}));
    start_ = place_of({{rule_frames_[grammar_->root()], kNobody}});
}

/// Like start(), but for one byte.
Position Recogniser::start_before_space() {
    if (!start_before_space_) {
        Place place = places_[raw(start_)];
        place.plain = false;
        start_before_space_ = add_place(std::move(place));
        next_[raw(*start_before_space_) * size_t{classes_} + grammar_->byte_class(' ')] =
            raw(start_);
    }
    return *start_before_space_;
}

Position Recogniser::step(Position from, std::span<const uint8_t> bytes) {
    for (uint8_t byte : bytes)
        from = step(from, byte);
    return from;
}

Position Recogniser::alone(Frame frame) {
    return place_of({{frame, kSomebody}});
}

// --- positions ----------------------------------------------------------------------------------

Position Recogniser::find_step(Position from, uint8_t byte_class) {
    std::vector<Item> moved;
    for (size_t i = 0; i < places_[raw(from)].items.size(); ++i) {
        const Item item = places_[raw(from)].items[i];
        const Frame to = frame_step(item.frame, byte_class);
        if (raw(to) != 0) moved.push_back({to, item.origin});
    }
    const Position to = moved.empty() ? kDead : place_of(std::move(moved));
    next_[raw(from) * size_t{classes_} + byte_class] = raw(to);
    return to;
}

/// Sorted by rule and caller, with one frame for each: what is in the same rule for the same caller
/// is one frame of more states.
std::vector<Recogniser::Item> Recogniser::merged(std::vector<Item> items) {
    if (items.size() <= 1) return items;
    const auto key = [&](const Item& item) {
        return std::tuple(frames_[raw(item.frame)].rule, item.origin, raw(item.frame));
    };
    std::sort(items.begin(), items.end(),
              [&](const Item& a, const Item& b) { return key(a) < key(b); });
    std::vector<Item> out;
    for (size_t i = 0; i < items.size();) {
        size_t end = i + 1;
        std::vector<uint32_t> states;
        const uint32_t rule = frames_[raw(items[i].frame)].rule;
        while (end < items.size() && items[end].origin == items[i].origin &&
               frames_[raw(items[end].frame)].rule == rule)
            ++end;
        Frame frame = items[i].frame;
        if (items[end - 1].frame != frame) {
            for (size_t j = i; j < end; ++j) {
                const auto& more = frames_[raw(items[j].frame)].states;
                states.insert(states.end(), more.begin(), more.end());
            }
            frame = frame_of(std::move(states));
        }
        out.push_back({frame, items[i].origin});
        i = end;
    }
    return out;
}

/// Rules that are over are left out of what the number stands for, in favour of where their callers
/// go on: so the next item of a list stands where the one before did.
Position Recogniser::place_of(std::vector<Item> reached) {
    Place place;
    finish_rules(reached, place);
    place.kernel = merged(std::move(reached));
    uint64_t hash = mixed(place.may_end, place.leaves);
    for (const Item& item : place.kernel)
        hash = mixed(hash, (uint64_t{item.origin} << 32) | raw(item.frame));
    const auto [begin, end] = place_numbers_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
        if (places_[raw(it->second)].is_like(place)) return it->second;
    const Position position = add_place(std::move(place));
    place_numbers_.emplace(hash, position);
    call_rules(raw(position));
    return position;
}

Position Recogniser::add_place(Place place) {
    places_.push_back(std::move(place));
    next_.insert(next_.end(), classes_, kUnknown);
    bytes_ += sizeof(Place) + classes_ * sizeof(uint32_t) + 64;
    return Position{static_cast<uint32_t>(places_.size() - 1)};
}

/// Adds where the callers of the rules go on that may be over, and drops what does nothing more.
void Recogniser::finish_rules(std::vector<Item>& items, Place& place) {
    for (size_t i = 0; i < items.size(); ++i) {
        const Item item = items[i];
        const FrameEntry& frame = frames_[raw(item.frame)];
        if (!frame.ends) continue;
        if (item.origin == kNobody)
            place.may_end = true;
        else if (item.origin == kSomebody)
            place.leaves = true;
        else
            return_to_callers(item.origin, frame.rule, items);
    }
    std::erase_if(items, [&](const Item& item) {
        const FrameEntry& frame = frames_[raw(item.frame)];
        return !frame.reads && frame.calls.empty();
    });
}

void Recogniser::return_to_callers(uint32_t origin, uint32_t rule, std::vector<Item>& items) {
    for (size_t i = 0; i < places_[origin].items.size(); ++i) {
        const Item caller = places_[origin].items[i];
        for (size_t call = 0; call < frames_[raw(caller.frame)].calls.size(); ++call) {
            if (frames_[raw(caller.frame)].calls[call].rule != rule) continue;
            add_once({after(caller.frame, call), caller.origin}, items);
        }
    }
}

/// Everything that follows without reading. A rule called here that may be over at once needs
/// nothing: close() has gone past its call.
void Recogniser::call_rules(uint32_t self) {
    std::vector<Item> items = places_[self].kernel;
    for (size_t i = 0; i < items.size(); ++i)
        for (const Call& call : frames_[raw(items[i].frame)].calls)
            add_once({rule_frames_[call.rule], self}, items);
    Place& place = places_[self];
    for (const Item& item : items)
        if (frames_[raw(item.frame)].reads) place.reading.push_back(item.frame);
    std::sort(place.reading.begin(), place.reading.end());
    place.reading.erase(std::unique(place.reading.begin(), place.reading.end()),
                        place.reading.end());
    bytes_ +=
        (items.size() + place.kernel.size()) * sizeof(Item) + place.reading.size() * sizeof(Frame);
    place.items = std::move(items);
}

void Recogniser::add_once(Item item, std::vector<Item>& items) {
    if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
}

// --- frames -------------------------------------------------------------------------------------

Recogniser::Frame Recogniser::frame_of(std::vector<uint32_t> states) {
    close(states);
    uint64_t hash = states.size();
    for (uint32_t state : states)
        hash = mixed(hash, state);
    const auto [begin, end] = frame_numbers_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
        if (frames_[raw(it->second)].states == states) return it->second;
    const Frame frame{static_cast<uint32_t>(frames_.size())};
    bytes_ += sizeof(FrameEntry) + classes_ * sizeof(uint32_t) + 64 + 4 * states.size();
    frames_.push_back(describe(std::move(states)));
    bytes_ += frames_.back().calls.size() * (sizeof(Call) + 8);
    frame_next_.insert(frame_next_.end(), classes_, raw(frame) == 0 ? 0 : kUnknown);
    frame_numbers_.emplace(hash, frame);
    return frame;
}

/// Adds what free edges and rules that match nothing lead to; keeps the states that do something.
void Recogniser::close(std::vector<uint32_t>& states) {
    std::vector<uint32_t> reached = std::move(states);
    std::vector<uint32_t> work;
    std::swap(work, reached);
    const auto reach = [&](uint32_t state) {
        if (closing_[state]) return;
        closing_[state] = true;
        reached.push_back(state);
    };
    for (uint32_t state : work)
        reach(state);
    for (size_t i = 0; i < reached.size(); ++i) {
        const uint32_t state = reached[i];
        for (uint32_t to : grammar_->free_from(state))
            reach(to);
        for (const Grammar::CallEdge& call : grammar_->calls_from(state))
            if (grammar_->nullable(call.rule)) reach(call.to);
    }
    states.clear();
    for (uint32_t state : reached) {
        closing_[state] = false;
        const bool does = !grammar_->bytes_from(state).empty() ||
                          !grammar_->calls_from(state).empty() ||
                          grammar_->end(grammar_->rule_of(state)) == state;
        if (does) states.push_back(state);
    }
    std::sort(states.begin(), states.end());
}

Recogniser::FrameEntry Recogniser::describe(std::vector<uint32_t> states) const {
    FrameEntry out;
    if (!states.empty()) out.rule = grammar_->rule_of(states.front());
    for (uint32_t state : states) {
        out.ends = out.ends || grammar_->end(out.rule) == state;
        out.reads = out.reads || !grammar_->bytes_from(state).empty();
        for (const Grammar::CallEdge& edge : grammar_->calls_from(state)) {
            const auto call = std::find_if(out.calls.begin(), out.calls.end(),
                                           [&](const Call& c) { return c.rule == edge.rule; });
            if (call == out.calls.end())
                out.calls.push_back({edge.rule, {edge.to}});
            else
                call->targets.push_back(edge.to);
        }
    }
    out.states = std::move(states);
    return out;
}

Recogniser::Frame Recogniser::frame_step(Frame from, uint8_t byte_class) {
    const uint32_t known = frame_next_[raw(from) * size_t{classes_} + byte_class];
    return known != kUnknown ? Frame{known} : find_frame_step(from, byte_class);
}

Recogniser::Frame Recogniser::find_frame_step(Frame from, uint8_t byte_class) {
    const uint8_t byte = byte_of_class_[byte_class];
    std::vector<uint32_t> to;
    for (uint32_t state : frames_[raw(from)].states)
        for (const Grammar::ByteEdge& edge : grammar_->bytes_from(state))
            if (edge.first <= byte && byte <= edge.last) to.push_back(edge.to);
    const Frame frame = to.empty() ? Frame{0} : frame_of(std::move(to));
    frame_next_[raw(from) * size_t{classes_} + byte_class] = raw(frame);
    return frame;
}

Recogniser::Frame Recogniser::after(Frame frame, size_t call) {
    if (const auto known = frames_[raw(frame)].calls[call].after) return *known;
    const Frame found = frame_of(frames_[raw(frame)].calls[call].targets);
    frames_[raw(frame)].calls[call].after = found;
    return found;
}

}  // namespace brigada
