// TextScanner: free text in which some literals may stand only where what follows them keeps to a
// form: an answer with calls of tools in it. It is an automaton of modes. In a mode any text may
// follow until one of the mode's literals is complete; that leads through a piece of grammar into
// the next mode. The text may end anywhere but within those pieces.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/grammar_builder.h"

namespace brigada {

class TextScanner {
  public:
    enum class Mode : uint32_t {};

    explicit TextScanner(GrammarBuilder& builder) : b_(builder) {}

    Mode add_mode();
    /// One in which nothing more may come.
    Mode add_end();

    /// No text ends in the mode.
    void must_go_on(Mode mode) { at(mode).may_end = false; }
    /// `literal` stands nowhere in it.
    void forbid(Mode mode, std::string_view literal) { literal_in(at(mode).anywhere, literal); }

    /// Where `literal` is complete, `piece` must follow, and then a text of the mode `to`.
    void watch(Mode mode, std::string_view literal, Expr piece, Mode to);

    /// The same for a literal that counts only at the mode's beginning; a line feed in it stands
    /// for any white space. What begins otherwise goes on in the mode `otherwise`.
    void watch_start(Mode mode, std::string_view literal, Expr piece, Mode to);
    /// No text of the mode begins like this.
    void forbid_start(Mode mode, std::string_view literal);
    /// For a mode with either: once it has not begun so. It must watch the same literals.
    void otherwise(Mode mode, Mode to) { at(mode).otherwise = to; }

    /// The texts that begin in `first`.
    Expr write(Mode first);

  private:
    struct Way {
        Expr piece{};
        Mode to{};
    };
    struct Literal {
        std::string text;
        std::vector<Way> ways;  // none: forbidden
    };
    struct ModeEntry {
        std::vector<Literal> anywhere, at_start;
        std::optional<Mode> otherwise{};
        bool is_end = false;
        bool may_end = true;
    };
    /// How much of literals has come: the longest end of the text that begins one, and places
    /// (literal, character) in those of the mode's beginning.
    struct State {
        uint32_t mode = 0;
        std::string end;
        std::vector<std::pair<size_t, size_t>> begun;
        auto operator<=>(const State&) const = default;
    };
    struct Step {
        const Literal* complete = nullptr;
        State state{};
    };

    ModeEntry& at(Mode mode) { return modes_[static_cast<uint32_t>(mode)]; }
    static Literal& literal_in(std::vector<Literal>& literals, std::string_view text);
    State beginning(Mode mode) const;
    Step step(const State& from, uint8_t byte) const;
    const Literal* step_start(const ModeEntry& mode, uint8_t byte, State& state) const;
    const Literal* step_anywhere(const ModeEntry& mode, uint8_t byte, State& state) const;

    void write_steps(const State& state, uint32_t number);
    uint32_t number_of(State state);
    uint32_t number_of(const Literal& complete);

    GrammarBuilder& b_;
    std::vector<ModeEntry> modes_;

    ExprGraph graph_;
    std::map<State, uint32_t> numbers_;
    std::map<const Literal*, uint32_t> completed_;
    std::vector<std::pair<State, uint32_t>> waiting_;
};

}  // namespace brigada
