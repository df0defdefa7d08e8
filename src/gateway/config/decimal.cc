#include "gateway/config/decimal.h"

#include <charconv>
#include <limits>
#include <string>

namespace brigada {
namespace {

// Exponents beyond this are no prices, times or budgets; the bound keeps the arithmetic small.
constexpr int kMaxExponent = 100;

/// digits x 10^exponent.
struct Decimal {
    bool negative = false;
    std::string digits = {};
    int exponent = 0;
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The digits from `at` on, '_' between them left out.
void take_digits(std::string_view text, size_t& at, std::string& out) {
    while (at < text.size()) {
        const bool groups = text[at] == '_' && at > 0 && is_digit(text[at - 1]) &&
                            at + 1 < text.size() && is_digit(text[at + 1]);
        if (!is_digit(text[at]) && !groups) return;
        if (!groups) out += text[at];
        ++at;
    }
}

std::optional<int> parse_exponent(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    int exponent = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (exponent > kMaxExponent || exponent < -kMaxExponent) return std::nullopt;
    return exponent;
}

std::optional<Decimal> parse(std::string_view text) {
    Decimal out;
    size_t at = 0;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) out.negative = text[at++] == '-';
    take_digits(text, at, out.digits);
    if (at < text.size() && text[at] == '.') {
        const size_t whole = out.digits.size();
        take_digits(text, ++at, out.digits);
        out.exponent = -static_cast<int>(out.digits.size() - whole);
    }
    if (out.digits.empty() || out.digits.size() > kMaxExponent) return std::nullopt;
    if (at == text.size()) return out;
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    const auto exponent = parse_exponent(text.substr(at + 1));
    if (!exponent) return std::nullopt;
    out.exponent += *exponent;
    return out;
}

void drop_zeros(Decimal& number) {
    while (number.digits.size() > 1 && number.digits.ends_with('0')) {
        number.digits.pop_back();
        ++number.exponent;
    }
}

std::optional<int64_t> append_digit(int64_t value, int digit) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    if (value > (kMost - digit) / 10) return std::nullopt;
    return value * 10 + digit;
}

}  // namespace

std::optional<int64_t> scaled_decimal(std::string_view text, int places) {
    auto number = parse(text);
    if (!number) return std::nullopt;
    drop_zeros(*number);
    if (number->digits == "0") return 0;
    const int zeros = number->exponent + places;
    if (zeros < 0) return std::nullopt;
    number->digits.append(static_cast<size_t>(zeros), '0');
    std::optional<int64_t> value = 0;
    for (const char digit : number->digits) {
        value = append_digit(*value, digit - '0');
        if (!value) return std::nullopt;
    }
    return number->negative ? -*value : *value;
}

bool is_plain_decimal(std::string_view text) {
    const auto number = parse(text);
    return number && !number->negative;
}

}  // namespace brigada
