#include "grammar/regex_tree.h"

#include <string>
#include <utility>

#include "base/concat.h"
#include "grammar/character_classes.h"
#include "tokens/unicode.h"

namespace brigada {

namespace {

using Kind = RegexNode::Kind;

RegexNode set_node(CodePointSet set) {
    return {.kind = Kind::set, .set = std::move(set)};
}

/// A node above `parts`.
RegexNode node_of(Kind kind, std::vector<RegexNode> parts) {
    RegexNode out{.kind = kind, .parts = std::move(parts)};
    for (const RegexNode& part : out.parts)
        out.has_anchor = out.has_anchor || part.has_anchor;
    return out;
}

class RegexParser {
  public:
    explicit RegexParser(std::string_view pattern) : in_(pattern) {}

    Result<RegexNode> parse() {
        TRY(RegexNode out, parse_either());
        if (!in_.at_end()) return wrong("a ) without its (");
        return out;
    }

  private:
    Error wrong(std::string_view what, Code code = Code::invalid_argument) const {
        size_t characters = 1;
        for (size_t at = 0; at < in_.byte(); ++characters)
            at += char_at(in_.before(), at).bytes;
        return {code, concat("character ", characters, ": ", what)};
    }
    Error refused(std::string_view what) const {
        return wrong(concat(what, " is not understood here"), Code::unsupported);
    }

    Result<RegexNode> parse_either() {
        std::vector<RegexNode> parts;
        do {
            TRY(RegexNode part, parse_sequence());
            parts.push_back(std::move(part));
        } while (in_.accept("|"));
        if (parts.size() == 1) return std::move(parts.front());
        return node_of(Kind::either, std::move(parts));
    }

    Result<RegexNode> parse_sequence() {
        std::vector<RegexNode> parts;
        while (!in_.at_end() && in_.peek() != '|' && in_.peek() != ')') {
            TRY(RegexNode atom, parse_atom());
            TRY(RegexNode part, parse_quantifiers(std::move(atom)));
            parts.push_back(std::move(part));
        }
        return node_of(Kind::sequence, std::move(parts));
    }

    Result<RegexNode> parse_quantifiers(RegexNode atom) {
        const size_t before = in_.byte();
        uint32_t least = 0;
        std::optional<uint32_t> most;
        if (in_.accept("*")) {
        } else if (in_.accept("+")) {
            least = 1;
        } else if (in_.accept("?")) {
            most = 1;
        } else if (!accept_counts(least, most)) {
            in_.go_to(before);
            return atom;
        }
        if (atom.kind == Kind::line_start || atom.kind == Kind::line_end)
            return refused("a repeated anchor");
        if (least > kMaxRegexCount || most.value_or(0) > kMaxRegexCount)
            return wrong(concat("a repetition of more than ", kMaxRegexCount), Code::too_large);
        if (most && *most < least) return wrong("a repetition whose least is above its most");
        in_.accept("?");  // lazy: the texts are the same
        if (in_.peek() == '+' || in_.peek() == '*') return refused("a quantifier of a quantifier");
        RegexNode out = node_of(Kind::repeat, {});
        out.has_anchor = atom.has_anchor;
        out.parts.push_back(std::move(atom));
        out.least = least;
        out.most = most;
        return out;
    }

    /// {m}, {m,} or {m,n}; a brace that begins none of them is a character.
    bool accept_counts(uint32_t& least, std::optional<uint32_t>& most) {
        if (!in_.accept("{")) return false;
        const auto low = in_.take_decimal();
        if (!low) return false;
        least = *low;
        if (in_.accept("}")) {
            most = least;
            return true;
        }
        if (!in_.accept(",")) return false;
        most = in_.take_decimal();
        return in_.accept("}");
    }

    Result<RegexNode> parse_atom() {
        if (in_.accept("(")) return parse_group();
        if (in_.accept("[")) return parse_class();
        if (in_.accept(".")) return set_node(any_but_line_ends());
        if (in_.accept("^")) return RegexNode{.kind = Kind::line_start, .has_anchor = true};
        if (in_.accept("$")) return RegexNode{.kind = Kind::line_end, .has_anchor = true};
        if (in_.accept("\\")) {
            TRY(CodePointSet set, parse_escape(false));
            return set_node(std::move(set));
        }
        const char32_t code = in_.peek();
        if (code == '*' || code == '+' || code == '?')
            return wrong("a quantifier with nothing before it");
        if (code == kNotACharacter) return wrong("a byte that is not UTF-8");
        in_.take();
        return set_node(CodePointSet::of(code));
    }

    Result<RegexNode> parse_group() {
        if (++depth_ > kMaxRegexDepth)
            return wrong(concat("groups nested deeper than ", kMaxRegexDepth), Code::too_large);
        TRY(skip_group_name());
        TRY(RegexNode out, parse_either());
        if (!in_.accept(")")) return wrong("a ( without its )");
        --depth_;
        return out;
    }

    Result<void> skip_group_name() {
        if (!in_.accept("?") || in_.accept(":")) return {};
        const bool python = in_.accept("P");
        if (in_.accept("<") && in_.peek() != '=' && in_.peek() != '!') {
            if (!in_.take_until('>')) return wrong("a group's name without its end");
            return {};
        }
        return refused(python ? "(?P" : "look-around or an option in (?...)");
    }

    Result<RegexNode> parse_class() {
        const bool inverted = in_.accept("^");
        if (in_.peek() == ']') return wrong("an empty class; write \\] for the bracket itself");
        CodePointSet set;
        while (!in_.accept("]")) {
            if (in_.at_end()) return wrong("a [ without its ]");
            if (in_.rest().starts_with("[:")) return refused("[: inside of a class");
            TRY(CodePointSet item, parse_class_item());
            TRY(item, parse_range(std::move(item)));
            set.add(item);
        }
        return set_node(inverted ? set.complement() : std::move(set));
    }

    Result<CodePointSet> parse_class_item() {
        if (in_.accept("\\")) return parse_escape(true);
        const char32_t code = in_.peek();
        if (code == kNotACharacter) return wrong("a byte that is not UTF-8");
        in_.take();
        return CodePointSet::of(code);
    }

    /// `first` alone, or up to what follows a hyphen.
    Result<CodePointSet> parse_range(CodePointSet first) {
        if (!in_.rest().starts_with("-") || in_.rest().starts_with("-]")) return first;
        in_.accept("-");
        TRY(const CodePointSet last, parse_class_item());
        const auto single = [](const CodePointSet& set) {
            return set.ranges().size() == 1 && set.ranges()[0].first == set.ranges()[0].last;
        };
        if (!single(first) || !single(last)) return wrong("a range from or to a class");
        const CodePointRange range{first.ranges()[0].first, last.ranges()[0].first};
        if (range.first > range.last) return wrong("a range whose first is after its last");
        return CodePointSet{range};
    }

    /// Behind the backslash.
    Result<CodePointSet> parse_escape(bool in_class) {
        const char32_t letter = in_.take();
        if (letter == kNotACharacter) return wrong("a backslash with nothing behind it");
        if (auto set = class_of_letter(letter)) return *std::move(set);
        switch (letter) {
            case 'n':
                return CodePointSet::of('\n');
            case 'r':
                return CodePointSet::of('\r');
            case 't':
                return CodePointSet::of('\t');
            case 'f':
                return CodePointSet::of('\f');
            case 'v':
                return CodePointSet::of('\v');
            case 'x':
            case 'u':
                return parse_number(letter);
            case 'p':
            case 'P':
                return parse_category(letter == 'P');
            case 'b':
                if (in_class) return CodePointSet::of('\b');
                return refused("\\b");
            case '0':
                if (in_.peek() < '0' || in_.peek() > '9') return CodePointSet::of(0);
                return refused("an octal escape");
            default:
                break;
        }
        const bool named = letter < 0x80 && (classes_of(letter) & (kLetter | kNumber)) != 0;
        if (named) return refused(concat("\\", std::string(1, static_cast<char>(letter))));
        return CodePointSet::of(letter);
    }

    /// \xHH, \uHHHH, two of those for a surrogate pair, \x{...} and \u{...}.
    Result<CodePointSet> parse_number(char32_t letter) {
        if (in_.accept("{")) {
            const auto digits = in_.take_until('}');
            if (!digits || digits->empty() || digits->size() > 6) return wrong("no code point");
            CharacterCursor number(*digits);
            return code_point(number.take_hex(static_cast<int>(digits->size())));
        }
        auto code = in_.take_hex(letter == 'x' ? 2 : 4);
        if (code && *code >= 0xd800 && *code <= 0xdbff && in_.accept("\\u")) {
            const auto low = in_.take_hex(4);
            if (!low || *low < 0xdc00 || *low > 0xdfff) return wrong("half a surrogate pair");
            code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
        }
        return code_point(code);
    }

    Result<CodePointSet> code_point(std::optional<char32_t> code) const {
        if (!code || !is_scalar_value(*code)) return wrong("no code point");
        return CodePointSet::of(*code);
    }

    Result<CodePointSet> parse_category(bool inverted) {
        std::optional<std::string_view> name;
        if (in_.accept("{")) name = in_.take_until('}');
        if (!name) return wrong("\\p without its {name}");
        auto set = class_of_category(*name);
        if (!set) return refused(concat("\\p{", *name, "}; L, M, N, P and S are: it"));
        return inverted ? set->complement() : *std::move(set);
    }

    CharacterCursor in_;
    uint32_t depth_ = 0;
};

}  // namespace

Result<RegexNode> parse_regex(std::string_view pattern) {
    return RegexParser(pattern).parse();
}

}  // namespace brigada
