#include "grammar/decimal.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace brigada {

namespace {

std::string without_leading_zeros(std::string digits) {
    digits.erase(0, digits.find_first_not_of('0'));
    return digits.empty() ? "0" : digits;
}

std::string without_trailing_zeros(std::string digits) {
    digits.erase(digits.find_last_not_of('0') + 1);
    return digits;
}

}  // namespace

Decimal Decimal::of(const Json& number) {
    std::string text = dump_json(number);
    Decimal out;
    if (text.starts_with('-')) {
        out.negative = true;
        text.erase(0, 1);
    }
    int exponent = 0;
    if (const size_t e = text.find_first_of("eE"); e != text.npos) {
        const size_t digits = e + (text[e + 1] == '+' ? 2 : 1);
        std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
        text.erase(e);
    }
    const size_t point = std::min(text.find('.'), text.size());
    std::string digits = text.substr(0, point);
    if (point < text.size()) digits += text.substr(point + 1);
    int whole = static_cast<int>(point) + exponent;  // digits before the point
    if (whole < 0) digits.insert(0, static_cast<size_t>(-whole), '0');
    whole = std::max(whole, 0);
    if (static_cast<size_t>(whole) > digits.size()) digits.resize(static_cast<size_t>(whole), '0');
    out.whole = without_leading_zeros(digits.substr(0, static_cast<size_t>(whole)));
    out.fraction = without_trailing_zeros(digits.substr(static_cast<size_t>(whole)));
    if (out.zero()) out.negative = false;
    return out;
}

std::strong_ordering compare_digits(const std::string& a, const std::string& b) {
    if (a.size() != b.size()) return a.size() <=> b.size();
    return a.compare(b) <=> 0;
}

std::strong_ordering compare(const Decimal& a, const Decimal& b) {
    if (a.negative != b.negative)
        return a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
    auto magnitude = compare_digits(a.whole, b.whole);
    if (magnitude == 0) magnitude = a.fraction.compare(b.fraction) <=> 0;
    return a.negative ? 0 <=> magnitude : magnitude;
}

std::string incremented(std::string digits) {
    size_t at = digits.size();
    while (at > 0 && digits[at - 1] == '9')
        digits[--at] = '0';
    if (at == 0) return "1" + digits;
    ++digits[at - 1];
    return digits;
}

std::string decremented(std::string digits) {
    CHECK(digits != "0");
    size_t at = digits.size();
    while (digits[at - 1] == '0')
        digits[--at] = '9';
    --digits[at - 1];
    return without_leading_zeros(std::move(digits));
}

}  // namespace brigada
