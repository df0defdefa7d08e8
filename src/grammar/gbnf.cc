#include "grammar/gbnf.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "grammar/character_classes.h"
#include "grammar/regex_tree.h"
#include "tokens/unicode.h"

namespace brigada {

namespace {

bool is_name_character(char32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

class GbnfParser {
  public:
    GbnfParser(GrammarBuilder& builder, std::string_view text) : builder_(builder), in_(text) {}

    Result<Expr> parse() {
        skip_space(true);
        while (!in_.at_end()) {
            TRY(parse_rule());
            skip_space(true);
        }
        for (const auto& [name, rule] : rules_)
            if (!rule.defined)
                return wrong_at(rule.first_use, concat("the rule \"", name, "\" is not defined"));
        const auto root = rules_.find("root");
        if (root == rules_.end())
            return Error{Code::invalid_argument, "there is no rule \"root\" to begin with"};
        return builder_.call(root->second.rule);
    }

  private:
    struct NamedRule {
        Rule rule{};
        size_t first_use = 0;
        bool defined = false;
    };

    Error wrong_at(size_t byte, std::string_view what) const {
        CharacterCursor here = in_;
        here.go_to(byte);
        const std::string_view before = here.before();
        const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
        const auto line = std::count(before.begin(), before.end(), '\n') + 1;
        size_t column = 1;
        for (size_t at = line_start; at < before.size(); ++column)
            at += char_at(before, at).bytes;
        return {Code::invalid_argument, concat("line ", line, ", column ", column, ": ", what)};
    }
    Error wrong(std::string_view what) const { return wrong_at(in_.byte(), what); }

    /// Blanks and comments; the ends of lines, too, where a rule may go on behind them.
    void skip_space(bool over_lines) {
        for (;;) {
            const char32_t c = in_.peek();
            if (c == '#') {
                while (!in_.at_end() && in_.peek() != '\n')
                    in_.take();
            } else if (c == ' ' || c == '\t' || (over_lines && (c == '\n' || c == '\r'))) {
                in_.take();
            } else {
                return;
            }
        }
    }

    std::string_view take_name() {
        const size_t from = in_.byte();
        while (is_name_character(in_.peek()))
            in_.take();
        return in_.before().substr(from);
    }

    Result<NamedRule*> named(std::string_view name, size_t at) {
        const auto found = rules_.find(name);
        if (found != rules_.end()) return &found->second;
        if (rules_.size() == kMaxGbnfRules)
            return wrong_at(at, concat("more than ", kMaxGbnfRules, " rules"));
        NamedRule rule{builder_.declare(std::string(name)), at};
        return &rules_.emplace(std::string(name), rule).first->second;
    }

    Result<void> parse_rule() {
        const size_t at = in_.byte();
        const std::string_view name = take_name();
        if (name.empty()) return wrong("a rule must begin with its name");
        skip_space(false);
        if (!in_.accept("::=")) return wrong("a rule's name must be followed by ::=");
        TRY(NamedRule * rule, named(name, at));
        if (rule->defined) return wrong_at(at, concat("a second rule \"", name, "\""));
        rule->defined = true;
        skip_space(true);
        TRY(const Expr body, parse_either(false));
        builder_.define(rule->rule, body);
        if (!in_.at_end() && in_.peek() != '\n' && in_.peek() != '\r')
            return wrong("this does not belong into a rule");
        return {};
    }

    Result<Expr> parse_either(bool nested) {
        std::vector<Expr> parts;
        do {
            skip_space(true);
            TRY(const Expr part, parse_sequence(nested));
            parts.push_back(part);
        } while (in_.accept("|"));
        return builder_.either(std::move(parts));
    }

    Result<Expr> parse_sequence(bool nested) {
        std::vector<Expr> parts;
        for (;;) {
            skip_space(nested);
            const char32_t c = in_.peek();
            const bool begins =
                c == '"' || c == '[' || c == '(' || c == '.' || is_name_character(c);
            if (!begins) return builder_.sequence(std::move(parts));
            TRY(Expr part, parse_item());
            TRY(part, parse_quantifiers(part, nested));
            parts.push_back(part);
        }
    }

    Result<Expr> parse_item() {
        if (in_.accept("\"")) return parse_literal();
        if (in_.accept("[")) return parse_class();
        if (in_.accept(".")) return builder_.one_of(CodePointSet::all());
        if (in_.accept("(")) {
            if (++depth_ > kMaxGbnfDepth)
                return wrong(concat("groups nested deeper than ", kMaxGbnfDepth));
            TRY(const Expr inner, parse_either(true));
            if (!in_.accept(")")) return wrong("expected ) or | here");
            --depth_;
            return inner;
        }
        const size_t at = in_.byte();
        TRY(const NamedRule* rule, named(take_name(), at));
        return builder_.call(rule->rule);
    }

    Result<Expr> parse_quantifiers(Expr part, bool nested) {
        for (;;) {
            skip_space(nested);
            if (in_.accept("*")) {
                part = builder_.repeat(part, 0, std::nullopt);
            } else if (in_.accept("+")) {
                part = builder_.repeat(part, 1, std::nullopt);
            } else if (in_.accept("?")) {
                part = builder_.optional(part);
            } else if (in_.accept("{")) {
                TRY(part, parse_counts(part));
            } else {
                return part;
            }
        }
    }

    Result<Expr> parse_counts(Expr part) {
        const auto least = in_.take_decimal();
        std::optional<uint32_t> most = least;
        if (least && in_.accept(",")) most = in_.take_decimal();
        if (!least || !in_.accept("}")) return wrong("expected {m}, {m,} or {m,n}");
        if (*least > kMaxRegexCount || most.value_or(0) > kMaxRegexCount)
            return wrong(concat("a repetition of more than ", kMaxRegexCount));
        if (most && *most < *least) return wrong("a repetition whose least is above its most");
        return builder_.repeat(part, *least, most);
    }

    Result<Expr> parse_literal() {
        std::string text;
        while (!in_.accept("\"")) {
            if (in_.at_end() || in_.peek() == '\n') return wrong("a \" without its end");
            TRY(const char32_t code, parse_character());
            append_utf8(code, text);
        }
        return builder_.literal(text);
    }

    Result<Expr> parse_class() {
        const bool inverted = in_.accept("^");
        CodePointSet set;
        while (!in_.accept("]")) {
            if (in_.at_end() || in_.peek() == '\n') return wrong("a [ without its ]");
            TRY(const char32_t first, parse_character());
            char32_t last = first;
            if (in_.rest().starts_with("-") && !in_.rest().starts_with("-]")) {
                in_.accept("-");
                TRY(last, parse_character());
            }
            if (last < first) return wrong("a range whose first is after its last");
            set.add({first, last});
        }
        return builder_.one_of(inverted ? set.complement() : std::move(set));
    }

    /// A character of a literal or a class, escaped or as it is.
    Result<char32_t> parse_character() {
        if (!in_.accept("\\")) {
            const char32_t code = in_.take();
            if (code == kNotACharacter) return wrong("a byte that is not UTF-8");
            return code;
        }
        const char32_t letter = in_.take();
        switch (letter) {
            case 'n':
                return U'\n';
            case 'r':
                return U'\r';
            case 't':
                return U'\t';
            case 'x':
                return code_point(in_.take_hex(2));
            case 'u':
                return code_point(in_.take_hex(4));
            case 'U':
                return code_point(in_.take_hex(8));
            case '\\':
            case '"':
            case '[':
            case ']':
            case '-':
            case '^':
                return letter;
            default:
                return wrong(
                    "an unknown escape; \\n \\r \\t \\xHH \\uHHHH \\UHHHHHHHH \\\\ \\\" \\[ \\] "
                    "are known");
        }
    }

    Result<char32_t> code_point(std::optional<char32_t> code) const {
        if (!code || !is_scalar_value(*code)) return wrong("no code point");
        return *code;
    }

    GrammarBuilder& builder_;
    CharacterCursor in_;
    std::map<std::string, NamedRule, std::less<>> rules_;
    uint32_t depth_ = 0;
};

}  // namespace

Result<Expr> read_gbnf(GrammarBuilder& builder, std::string_view text) {
    return GbnfParser(builder, text).parse();
}

}  // namespace brigada
