#include "toolcall/json_scanner.h"

#include "base/concat.h"
#include "base/json.h"

namespace brigada {

namespace {

bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool is_high_surrogate(uint32_t unit) {
    return unit >= 0xd800 && unit < 0xdc00;
}
bool is_low_surrogate(uint32_t unit) {
    return unit >= 0xdc00 && unit < 0xe000;
}

/// Where in a number's grammar: what has been read last.
enum : uint8_t { kMinus, kZero, kInteger, kPoint, kFraction, kExponent, kSign, kPower };

/// What `c` makes of `at`; -1 when it cannot follow.
int after_in_number(uint8_t at, char c) {
    switch (at) {
        case kMinus:
            return c == '0' ? kZero : is_digit(c) ? kInteger : -1;
        case kZero:
        case kInteger:
            if (is_digit(c)) return at == kInteger ? kInteger : -1;
            return c == '.' ? kPoint : c == 'e' || c == 'E' ? kExponent : -1;
        case kPoint:
            return is_digit(c) ? kFraction : -1;
        case kFraction:
            return is_digit(c) ? kFraction : c == 'e' || c == 'E' ? kExponent : -1;
        case kExponent:
            return is_digit(c) ? kPower : c == '+' || c == '-' ? kSign : -1;
        default:
            return is_digit(c) ? kPower : -1;
    }
}

bool may_end(uint8_t at) {
    return at == kZero || at == kInteger || at == kFraction || at == kPower;
}

}  // namespace

size_t JsonScanner::read(std::string_view text, std::string& out) {
    size_t used = 0;
    while (used < text.size() && state_ == State::open) {
        if (!step(text[used], out)) {
            if (state_ == State::open) state_ = State::wrong;
            break;
        }
        ++used;
    }
    return used;
}

/// False when `c` does not belong to the value: it is complete, or wrong.
bool JsonScanner::step(char c, std::string& out) {
    if (next_ == Next::string) return in_string(c, out);
    if (next_ == Next::number && ends_number(c)) end_value();
    if (state_ == State::complete || !accepts(c)) return false;
    out += c;
    return true;
}

bool JsonScanner::accepts(char c) {
    if (next_ < Next::string && is_space(c)) return true;
    switch (next_) {
        case Next::value:
            return begin_value(c);
        case Next::value_or_close:
            return c == ']' ? close_bracket(c) : begin_value(c);
        case Next::key:
            return c == '"' && begin_string(true);
        case Next::key_or_close:
            return c == '}' ? close_bracket(c) : c == '"' && begin_string(true);
        case Next::colon:
            return c == ':' && go_to(Next::value);
        case Next::comma_or_close:
            return c == ',' ? go_to(brackets_.back() == '{' ? Next::key : Next::value)
                            : close_bracket(c);
        case Next::escape:
            return in_escape(c);
        case Next::unicode:
            return in_unicode(c);
        case Next::low_surrogate:
            return c == '\\' && go_to(Next::low_surrogate_u);
        case Next::low_surrogate_u:
            return c == 'u' && go_to(Next::unicode);
        case Next::number:
            return in_number(c);
        case Next::word:
            return in_word(c);
        case Next::string:
            break;
    }
    return false;
}

bool JsonScanner::go_to(Next next) {
    next_ = next;
    return true;
}

bool JsonScanner::begin_string(bool is_key) {
    is_key_ = is_key;
    return go_to(Next::string);
}

bool JsonScanner::begin_value(char c) {
    if (c == '{' || c == '[') return open_bracket(c);
    if (c == '"') return begin_string(false);
    if (c == '-' || is_digit(c)) {
        next_ = Next::number;
        number_ = c == '-' ? kMinus : c == '0' ? kZero : kInteger;
        return true;
    }
    next_ = Next::word;
    word_ = c == 't' ? "true" : c == 'f' ? "false" : "null";
    return in_word(c);
}

bool JsonScanner::open_bracket(char c) {
    if (brackets_.size() == static_cast<size_t>(kJsonMaxDepth)) return false;
    brackets_.push_back(c);
    next_ = c == '{' ? Next::key_or_close : Next::value_or_close;
    return true;
}

bool JsonScanner::close_bracket(char c) {
    const char open = c == '}' ? '{' : c == ']' ? '[' : '\0';
    if (brackets_.empty() || brackets_.back() != open) return false;
    brackets_.pop_back();
    end_value();
    return true;
}

bool JsonScanner::in_string(char c, std::string& out) {
    if (static_cast<unsigned char>(c) < 0x20) {
        out += c == '\n'   ? "\\n"
               : c == '\t' ? "\\t"
               : c == '\r' ? "\\r"
                           : fmt::format("\\u{:04x}", static_cast<int>(c));
        return true;
    }
    if (c == '\\') next_ = Next::escape;
    if (c == '"' && is_key_) next_ = Next::colon;
    if (c == '"' && !is_key_) end_value();
    out += c;
    return true;
}

bool JsonScanner::in_escape(char c) {
    next_ = c == 'u' ? Next::unicode : Next::string;
    unit_ = 0;
    digits_ = 0;
    return std::string_view("\"\\/bfnrtu").contains(c);
}

bool JsonScanner::in_unicode(char c) {
    const int value = hex_value(c);
    if (value < 0) return false;
    unit_ = unit_ * 16 + static_cast<uint32_t>(value);
    if (++digits_ < 4) return true;
    if (is_low_surrogate(unit_) != needs_low_) return false;
    needs_low_ = is_high_surrogate(unit_);
    next_ = needs_low_ ? Next::low_surrogate : Next::string;
    unit_ = 0;
    digits_ = 0;
    return true;
}

bool JsonScanner::in_number(char c) {
    const int after = after_in_number(number_, c);
    if (after < 0) return false;
    number_ = static_cast<uint8_t>(after);
    return true;
}

bool JsonScanner::ends_number(char c) const {
    return after_in_number(number_, c) < 0 && may_end(number_);
}

bool JsonScanner::in_word(char c) {
    if (!word_.starts_with(c)) return false;
    word_.remove_prefix(1);
    if (word_.empty()) end_value();
    return true;
}

void JsonScanner::end_value() {
    next_ = Next::comma_or_close;
    if (brackets_.empty()) state_ = State::complete;
}

}  // namespace brigada
