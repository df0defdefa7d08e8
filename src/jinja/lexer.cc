#include "jinja/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/concat.h"
#include "jinja/string_literal.h"
#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

using TokenKind = Token::Kind;

constexpr std::array<std::string_view, 26> kOperators = {
    "//", "**", "==", "!=", "<=", ">=", "<", ">", "=", "+", "-", "*", "/",
    "%",  "~",  "|",  "(",  ")",  "[",  "]", "{", "}", ".", ":", ",", ";"};

bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c < 0;
}
bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}
bool is_name_part(char c) {
    return is_name_start(c) || is_decimal(c);
}

bool all_space(std::string_view text) {
    return strip(text).empty();
}

class Lexer {
  public:
    Lexer(std::string_view source, std::deque<std::string>& decoded)
        : source_(source), decoded_(decoded) {}

    Result<std::vector<Token>> run() {
        while (position_ < source_.size())
            TRY(next_piece());
        add(TokenKind::end, {});
        return std::move(tokens_);
    }

  private:
    /// The text up to the next tag, and the tag.
    Result<void> next_piece() {
        const size_t tag = find_tag();
        const size_t start = position_;
        if (tag == std::string_view::npos) {
            add_text(source_.substr(start));
            position_ = source_.size();
            return {};
        }
        const char kind = source_[tag + 1];
        position_ = tag + 2;
        const char sign = take_sign();
        add_text(trimmed(start, tag, sign, kind != '{'));
        if (kind == '#') return skip_comment();
        if (kind == '{') return take_tag(TokenKind::print_begin, TokenKind::print_end, "}}");
        if (take_raw_begin()) return take_raw();
        return take_tag(TokenKind::tag_begin, TokenKind::tag_end, "%}");
    }

    size_t find_tag() const {
        for (size_t i = source_.find('{', position_); i != std::string_view::npos;
             i = source_.find('{', i + 1))
            if (i + 1 < source_.size() && std::string_view("{%#").contains(source_[i + 1]))
                return i;
        return std::string_view::npos;
    }

    char take_sign() {
        if (position_ >= source_.size()) return 0;
        const char c = source_[position_];
        if (c != '-' && c != '+') return 0;
        ++position_;
        return c;
    }

    /// The text [start, end) before a tag: "-" takes all white space at its end; otherwise blocks
    /// and comments take the white space between the start of their line and themselves.
    std::string_view trimmed(size_t start, size_t end, char sign, bool is_block) const {
        const std::string_view text = source_.substr(start, end - start);
        if (sign == '-') return strip(text, nullptr, false, true);
        if (sign == '+' || !is_block) return text;
        const size_t line = text.rfind('\n') + 1;  // npos + 1 == 0
        const bool from_line_start = line > 0 || start == 0 || source_[start - 1] == '\n';
        return from_line_start && all_space(text.substr(line)) ? text.substr(0, line) : text;
    }

    void skip_space() {
        const std::string_view rest = source_.substr(position_);
        position_ = source_.size() - strip(rest, nullptr, true, false).size();
    }

    bool take(std::string_view expected) {
        if (!source_.substr(position_).starts_with(expected)) return false;
        position_ += expected.size();
        return true;
    }

    void take_newline() { take("\n"); }

    Result<void> skip_comment() {
        const size_t body = position_;
        const size_t end = source_.find("#}", body);
        if (end == std::string_view::npos)
            return syntax_error(line(), "a comment {# has no end #}");
        position_ = end + 2;
        const char sign = end > body ? source_[end - 1] : 0;
        if (sign == '-')
            skip_space();
        else if (sign != '+')
            take_newline();
        return {};
    }

    /// Takes "raw %}" when it follows.
    bool take_raw_begin() {
        const size_t start = position_;
        skip_space();
        if (take("raw")) {
            skip_space();
            if (take("%}")) return true;
            if (take("-%}")) return skip_space(), true;
        }
        position_ = start;
        return false;
    }

    Result<void> take_raw() {
        const size_t body = position_;
        for (size_t tag = source_.find("{%", body); tag != std::string_view::npos;
             tag = source_.find("{%", tag + 1)) {
            position_ = tag + 2;
            const char sign = take_sign();
            if (!take_raw_end()) continue;
            add_text(trimmed(body, tag, sign, true));
            return {};
        }
        position_ = body;
        return syntax_error(line(), "{% raw %} has no {% endraw %}");
    }

    bool take_raw_end() {
        skip_space();
        if (!take("endraw")) return false;
        skip_space();
        if (take("+%}")) return true;
        if (take("-%}")) return skip_space(), true;
        return take("%}") && (take_newline(), true);
    }

    Result<void> take_tag(TokenKind begin, TokenKind end, std::string_view closing) {
        add(begin, {});
        int open_brackets = 0;
        for (;;) {
            skip_space();
            if (position_ >= source_.size())
                return syntax_error(tokens_.back().line, concat("a tag has no end ", closing));
            if (open_brackets == 0 && take_tag_end(end, closing)) return {};
            TRY(take_token());
            const Token& token = tokens_.back();
            if (token.kind != TokenKind::op) continue;
            if (std::string_view("([{").contains(token.text[0])) ++open_brackets;
            if (std::string_view(")]}").contains(token.text[0]) && --open_brackets < 0)
                return syntax_error(token.line, concat("unexpected '", token.text, "'"));
        }
    }

    bool take_tag_end(TokenKind end, std::string_view closing) {
        const size_t start = position_;
        const char sign = take_sign();
        if (!take(closing)) {
            position_ = start;
            return false;
        }
        add(end, {});
        if (sign == '-')
            skip_space();
        else if (end == TokenKind::tag_end && sign != '+')
            take_newline();
        return true;
    }

    Result<void> take_token() {
        const char c = source_[position_];
        if (is_name_start(c)) return take_name();
        if (is_decimal(c)) return take_number();
        if (c == '"' || c == '\'') return take_string();
        for (const std::string_view op : kOperators) {
            if (!take(op)) continue;
            add(TokenKind::op, op);
            return {};
        }
        return syntax_error(line(), concat("unexpected character '", std::string(1, c), "'"));
    }

    Result<void> take_name() {
        const size_t start = position_;
        while (position_ < source_.size() && is_name_part(source_[position_]))
            ++position_;
        add(TokenKind::name, source_.substr(start, position_ - start));
        return {};
    }

    /// Digits of `base` with single underscores between them, without the underscores.
    std::string take_digits(int base) {
        const auto is_digit_here = [&](size_t i) {
            if (i >= source_.size()) return false;
            const char c = source_[i];
            if (base == 16)
                return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
            return c >= '0' && c < '0' + base;
        };
        std::string digits;
        while (is_digit_here(position_)) {
            digits += source_[position_++];
            if (position_ < source_.size() && source_[position_] == '_' &&
                is_digit_here(position_ + 1))
                ++position_;
        }
        return digits;
    }

    Result<void> take_number() {
        if (source_[position_] == '0' && position_ + 1 < source_.size()) {
            const char letter = source_[position_ + 1] | 0x20;
            const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
            if (base != 0) {
                position_ += 2;
                return add_integer(take_digits(base), base);
            }
        }
        std::string digits = take_digits(10);
        if (!take_fraction_and_exponent(digits)) return add_integer(digits, 10);
        double value = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        add(TokenKind::real, {});
        tokens_.back().real = value;
        return {};
    }

    /// Appends ".5", "e-3" or both to `digits`; false when there is neither.
    bool take_fraction_and_exponent(std::string& digits) {
        const auto decimal_at = [&](size_t i) {
            return i < source_.size() && is_decimal(source_[i]);
        };
        bool found = false;
        if (position_ < source_.size() && source_[position_] == '.' && decimal_at(position_ + 1)) {
            ++position_;
            digits += "." + take_digits(10);
            found = true;
        }
        if (position_ >= source_.size() || (source_[position_] | 0x20) != 'e') return found;
        size_t i = position_ + 1;
        std::string sign;
        if (i < source_.size() && (source_[i] == '+' || source_[i] == '-')) sign = source_[i++];
        if (!decimal_at(i)) return found;
        position_ = i;
        digits += "e" + sign + take_digits(10);
        return true;
    }

    Result<void> add_integer(const std::string& digits, int base) {
        int64_t value = 0;
        const char* end = digits.data() + digits.size();
        const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
        if (error != std::errc() || stop != end)
            return syntax_error(line(), concat("integer '", digits, "' is not one of 64 bits"));
        add(TokenKind::integer, {});
        tokens_.back().integer = value;
        return {};
    }

    Result<void> take_string() {
        const char quote = source_[position_];
        const size_t start = position_ + 1;
        size_t end = start;
        while (end < source_.size() && source_[end] != quote)
            end += source_[end] == '\\' ? 2 : 1;
        if (end >= source_.size()) return syntax_error(line(), "a string has no closing quote");
        std::string_view text = source_.substr(start, end - start);
        if (text.contains('\\')) {
            Result<std::string> plain = decode_string_literal(text);
            if (!plain.ok()) return syntax_error(line(), plain.error().message);
            text = decoded_.emplace_back(*std::move(plain));
        }
        add(TokenKind::string, text);
        position_ = end + 1;
        return {};
    }

    void add_text(std::string_view text) {
        if (!text.empty()) add(TokenKind::text, text);
    }

    void add(TokenKind kind, std::string_view text) {
        tokens_.push_back({.kind = kind, .line = line(), .text = text});
    }

    /// The line of position_, which only grows between calls, but for a step back over a failed
    /// match.
    int line() {
        if (position_ > counted_) {
            line_ += static_cast<int>(
                std::count(source_.begin() + static_cast<ptrdiff_t>(counted_),
                           source_.begin() + static_cast<ptrdiff_t>(position_), '\n'));
            counted_ = position_;
        }
        return line_;
    }

    std::string_view source_;
    std::deque<std::string>& decoded_;
    std::vector<Token> tokens_;
    size_t position_ = 0;
    size_t counted_ = 0;
    int line_ = 1;
};

}  // namespace

Error syntax_error(int line, std::string_view message) {
    return {Code::invalid_argument, concat("line ", line, ": ", message)};
}

std::string normalise_source(std::string_view source) {
    std::string out;
    out.reserve(source.size());
    for (size_t i = 0; i < source.size(); ++i) {
        if (source[i] != '\r') {
            out += source[i];
            continue;
        }
        out += '\n';
        if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    }
    if (out.ends_with('\n')) out.pop_back();
    return out;
}

Result<std::vector<Token>> tokenize(std::string_view source, std::deque<std::string>& decoded) {
    return Lexer(source, decoded).run();
}

}  // namespace brigada::jinja
