#include "toolcall/python_literal.h"

#include <charconv>

#include "base/concat.h"
#include "base/json.h"
#include "toolcall/unread.h"

namespace brigada {

namespace {

/// One pass over a literal. What it writes is checked as JSON in the end, so it need not refuse
/// everything itself.
class Converter {
  public:
    explicit Converter(std::string_view text) : rest_(text) {}

    bool run() { return value(0) && (skip_space(), rest_.empty()); }
    std::string take() { return std::move(out_); }

  private:
    bool value(int depth);
    bool list(char close, int depth);
    bool dict(int depth);
    bool string();
    bool escape();
    bool code_point(size_t digits);
    bool word();

    void skip_space() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(kWhiteSpace), rest_.size()));
    }
    /// The next character that is not white space, or 0.
    char next() {
        skip_space();
        return rest_.empty() ? '\0' : rest_.front();
    }
    bool take(char c) {
        if (next() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }

    std::string_view rest_;
    std::string out_;
};

bool Converter::value(int depth) {
    if (depth > kJsonMaxDepth) return false;
    const char first = next();
    if (first == '"' || first == '\'') return string();
    if (take('[')) return list(']', depth);
    if (take('(')) return list(')', depth);
    if (take('{')) return dict(depth);
    return word();
}

bool Converter::list(char close, int depth) {
    out_ += '[';
    for (bool is_first = true; !take(close); is_first = false) {
        if (!is_first && !take(',')) return false;
        if (take(close)) break;  // a comma after the last value
        if (!is_first) out_ += ", ";
        if (!value(depth + 1)) return false;
    }
    out_ += ']';
    return true;
}

bool Converter::dict(int depth) {
    out_ += '{';
    for (bool is_first = true; !take('}'); is_first = false) {
        if (!is_first && !take(',')) return false;
        if (take('}')) break;
        if (!is_first) out_ += ", ";
        if (!string() || !take(':')) return false;
        out_ += ": ";
        if (!value(depth + 1)) return false;
    }
    out_ += '}';
    return true;
}

bool Converter::string() {
    const char quote = next();
    if (quote != '"' && quote != '\'') return false;
    rest_.remove_prefix(1);
    std::string plain;  // of what needs no escape of its own
    const auto flush = [&] {
        const std::string quoted = dump_json(Json(plain));
        out_.append(quoted, 1, quoted.size() - 2);
        plain.clear();
    };
    out_ += '"';
    for (;;) {
        if (rest_.empty()) return false;
        const char c = rest_.front();
        rest_.remove_prefix(1);
        if (c == quote) break;
        if (c != '\\') {
            plain += c;
            continue;
        }
        flush();
        if (!escape()) return false;
    }
    flush();
    out_ += '"';
    return true;
}

/// What stands after a backslash.
bool Converter::escape() {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    switch (c) {
        case '\n':  // goes on in the next line
            return true;
        case 'n':
        case 't':
        case 'r':
        case 'b':
        case 'f':
        case '"':
        case '\\':
            out_ += concat('\\', c);
            return true;
        case '\'':
            out_ += c;
            return true;
        case 'x':
            return code_point(2);
        case 'u':
            return code_point(4);
        case 'U':
            return code_point(8);
        default:  // no escape: both characters stand for themselves
            out_ += concat("\\\\", c);
            return true;
    }
}

bool Converter::code_point(size_t digits) {
    if (rest_.size() < digits) return false;
    uint32_t code = 0;
    const char* end = rest_.data() + digits;
    if (std::from_chars(rest_.data(), end, code, 16).ptr != end || code > 0x10ffff) return false;
    rest_.remove_prefix(digits);
    if (code > 0xffff) {
        out_ += fmt::format("\\u{:04x}", 0xd800 + ((code - 0x10000) >> 10));
        code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    out_ += fmt::format("\\u{:04x}", code);
    return true;
}

/// A number, or one of Python's names for what JSON calls true, false and null.
bool Converter::word() {
    const size_t size = std::min(rest_.find_first_of(" \t\r\n,:()[]{}'\""), rest_.size());
    const std::string_view found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    out_ += found == "True"    ? "true"
            : found == "False" ? "false"
            : found == "None"  ? "null"
                               : found;
    return size > 0;
}

}  // namespace

std::optional<std::string> python_as_json(std::string_view text) {
    Converter converter(text);
    if (!converter.run()) return std::nullopt;
    std::string out = converter.take();
    if (!parse_json(out, "literal").ok()) return std::nullopt;
    return out;
}

size_t PythonExtent::read(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote_) {
            if (c == quote_ && !escaped_) quote_ = 0;
            escaped_ = c == '\\' && !escaped_;
        } else if (c == '"' || c == '\'') {
            quote_ = c;
        } else if (c == '(' || c == '[' || c == '{') {
            ++depth_;
        } else if (depth_ == 0 && (c == ',' || c == ')' || c == ']' || c == '}')) {
            return i;
        } else if (c == ')' || c == ']' || c == '}') {
            --depth_;  // whether they match is the converter's business
        }
    }
    return text.size();
}

}  // namespace brigada
