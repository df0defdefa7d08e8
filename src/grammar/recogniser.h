// Recogniser: runs a Grammar over bytes, all its ways at once. A position is a set of items, each a
// state of one rule with the position where that rule was called (Earley, 1970); positions that are
// equal have one number, so what follows from a byte is worked out once and then looked up. A
// position is 4 bytes: an answer's state is copied and taken back by copying those.
//
// What it has worked out is kept and grows with use, so it belongs to one thread; size_bytes()
// tells its owner when to begin a new one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "grammar/grammar.h"

namespace brigada {

/// Where in a grammar a text stands: a number of the Recogniser that gave it.
enum class Position : uint32_t {};

/// No text of the grammar begins like this.
inline constexpr Position kDead{0};

class Recogniser {
  public:
    explicit Recogniser(std::shared_ptr<const Grammar> grammar);

    Position start() const { return start_; }
    /// start() for texts whose first byte is dropped when it is a space: what SentencePiece's
    /// decoders do.
    Position start_before_space();

    Position step(Position from, uint8_t byte) {
        return step_class(from, grammar_->byte_class(byte));
    }
    Position step(Position from, std::span<const uint8_t> bytes);

    /// Whether the text may end here.
    bool may_end(Position at) const { return places_[raw(at)].may_end; }

    // For masks: what can be said of a rule's state without knowing who called the rule.

    /// A rule's automaton, made deterministic as far as it was needed.
    enum class Frame : uint32_t {};

    /// The frames at a position that read bytes.
    std::span<const Frame> frames(Position at) const { return places_[raw(at)].reading; }
    /// The position of a frame alone, whose rule was called from somewhere unknown.
    Position alone(Frame frame);
    /// At a position that came from alone(): whether the rule may be over, so that what follows is
    /// its unknown caller's.
    bool leaves(Position at) const { return places_[raw(at)].leaves; }
    /// Whether frames() says all: not for start_before_space().
    bool plain(Position at) const { return places_[raw(at)].plain; }

    const Grammar& grammar() const { return *grammar_; }
    size_t positions() const { return places_.size(); }
    size_t size_bytes() const { return bytes_; }

  private:
    static uint32_t raw(Position position) { return static_cast<uint32_t>(position); }
    static uint32_t raw(Frame frame) { return static_cast<uint32_t>(frame); }

    struct Item {
        Frame frame{};
        uint32_t origin = 0;  // the position where the rule was called
        bool operator==(const Item&) const = default;
    };
    struct Call {
        uint32_t rule = 0;
        std::vector<uint32_t> targets;
        std::optional<Frame> after{};  // of the targets, once it was needed
    };
    struct FrameEntry {
        std::vector<uint32_t> states;  // sorted; those that read, call or end
        std::vector<Call> calls;       // by rule
        uint32_t rule = 0;
        bool ends = false;
        bool reads = false;
    };
    struct Place {
        std::vector<Item> kernel;   // sorted; what its number stands for, with may_end and leaves
        std::vector<Item> items{};  // with the rules that they call here
        std::vector<Frame> reading{};
        bool may_end = false;
        bool leaves = false;
        bool plain = true;

        bool is_like(const Place& other) const {
            return kernel == other.kernel && may_end == other.may_end && leaves == other.leaves;
        }
    };
    template <typename Value>
    using ByHash = std::unordered_multimap<uint64_t, Value>;

    Position step_class(Position from, uint8_t byte_class) {
        const uint32_t known = next_[raw(from) * size_t{classes_} + byte_class];
        return known != kUnknown ? Position{known} : find_step(from, byte_class);
    }
    Position find_step(Position from, uint8_t byte_class);
    std::vector<Item> merged(std::vector<Item> items);

    Position place_of(std::vector<Item> reached);
    Position add_place(Place place);
    void finish_rules(std::vector<Item>& items, Place& place);
    void return_to_callers(uint32_t origin, uint32_t rule, std::vector<Item>& items);
    void call_rules(uint32_t self);
    static void add_once(Item item, std::vector<Item>& items);

    Frame frame_of(std::vector<uint32_t> states);
    Frame frame_step(Frame from, uint8_t byte_class);
    Frame find_frame_step(Frame from, uint8_t byte_class);
    Frame after(Frame frame, size_t call);
    void close(std::vector<uint32_t>& states);
    FrameEntry describe(std::vector<uint32_t> states) const;

    static constexpr uint32_t kUnknown = UINT32_MAX;
    static constexpr uint32_t kNobody = UINT32_MAX;        // called the root
    static constexpr uint32_t kSomebody = UINT32_MAX - 1;  // called the frame of alone()

    std::shared_ptr<const Grammar> grammar_;
    uint32_t classes_;
    std::vector<uint8_t> byte_of_class_;  // any byte of the class
    std::vector<FrameEntry> frames_;      // [0] is the empty one
    std::vector<uint32_t> frame_next_;    // [frame][class]
    ByHash<Frame> frame_numbers_;
    std::vector<Frame> rule_frames_;  // [rule], at its start
    std::vector<Place> places_;       // [0] is kDead
    std::vector<uint32_t> next_;      // [position][class]
    ByHash<Position> place_numbers_;
    Position start_{};
    std::optional<Position> start_before_space_;
    size_t bytes_ = 0;
    std::vector<bool> closing_;  // [state], scratch of close()
};

}  // namespace brigada
