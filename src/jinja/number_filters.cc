// Filters of numbers: int, float, abs, round and filesizeformat.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "jinja/arguments.h"
#include "jinja/filters.h"
#include "jinja/operators.h"
#include "jinja/text_of.h"
#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

/// Digits as Python's int() and float() take them: without white space around, a plus sign, and
/// underscores between digits. Nothing when an underscore stands elsewhere.
std::optional<std::string> plain_digits(std::string_view text) {
    std::string out;
    text = strip(text);
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '_') {
            out += text[i];
            continue;
        }
        const auto is_alnum = [](char c) {
            return is_letter(char32_t(c)) || is_digit(char32_t(c));
        };
        if (i == 0 || i + 1 == text.size() || !is_alnum(text[i - 1]) || !is_alnum(text[i + 1]))
            return std::nullopt;
    }
    return out;
}

std::optional<double> parse_real(std::string_view text) {
    const auto digits = plain_digits(text);
    if (!digits) return std::nullopt;
    double value = 0;
    const char* end = digits->data() + digits->size();
    const auto [stop, error] = std::from_chars(digits->data(), end, value);
    if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
    return value;
}

/// Without the 0x, 0o or 0b that int(text, base) allows.
std::string_view without_prefix(std::string_view digits, int64_t base) {
    const char letter = base == 16 ? 'x' : base == 8 ? 'o' : base == 2 ? 'b' : 0;
    if (letter && digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) == letter)
        digits.remove_prefix(2);
    return digits;
}

/// int(text, base): nothing when it is not one.
Result<std::optional<int64_t>> parse_integer(std::string_view text, int64_t base) {
    auto digits = plain_digits(text);
    if (!digits) return std::optional<int64_t>();
    const bool is_negative = digits->starts_with('-');
    const std::string number =
        concat(is_negative ? "-" : "",
               without_prefix(std::string_view(*digits).substr(is_negative), base));
    int64_t value = 0;
    const char* end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, value, static_cast<int>(base));
    if (stop != end || error == std::errc::invalid_argument) return std::optional<int64_t>();
    if (error != std::errc())
        return template_error(concat("'", strip(text), "' does not fit an integer of 64 bits"));
    return std::optional(value);
}

std::optional<Value> truncated(double value) {
    if (!(std::abs(value) < 0x1p63)) return std::nullopt;  // also not a number
    return Value::integer(static_cast<int64_t>(value));
}

Result<Value> int_filter(Heap&, Value value, const Args& args) {
    TRY(const auto given, bind("int", args, {"default", "base"}));
    TRY(const int64_t base, integer_or(given[1], 10, "int's base"));
    if (base < 2 || base > 36)
        return template_error(concat("int's base must be 2 to 36, not ", base));
    const Value fallback = given[0].is_undefined() ? Value::integer(0) : given[0];
    if (value.is_undefined()) return undefined_error(value);
    if (value.is_integral()) return Value::integer(value.as_integer());
    if (value.is_number()) return truncated(value.as_real()).value_or(fallback);
    if (!value.is_text()) return fallback;
    TRY(const auto whole, parse_integer(value.as_text(), base));
    if (whole) return Value::integer(*whole);
    const auto real = parse_real(value.as_text());
    return real ? truncated(*real).value_or(fallback) : fallback;
}

Result<Value> float_filter(Heap&, Value value, const Args& args) {
    TRY(const auto given, bind("float", args, {"default"}));
    const Value fallback = given[0].is_undefined() ? Value::real(0) : given[0];
    if (value.is_undefined()) return undefined_error(value);
    if (value.is_number()) return Value::real(value.as_real());
    if (!value.is_text()) return fallback;
    const auto real = parse_real(value.as_text());
    return real ? Value::real(*real) : fallback;
}

Result<void> expect_number(Value value, std::string_view filter) {
    if (value.is_undefined()) return undefined_error(value);
    if (!value.is_number())
        return template_error(concat(filter, " needs a number, not ", type_name(value)));
    return {};
}

Result<Value> abs_filter(Heap&, Value value, const Args& args) {
    TRY(bind_nothing("abs", args));
    TRY(expect_number(value, "abs"));
    if (value.is(Kind::real)) return Value::real(std::abs(value.as_real()));
    if (value.as_integer() < 0) return apply(Unary::Op::negate, value);
    return Value::integer(value.as_integer());
}

/// round(value, digits) of Python: to the nearest, to even when two are equally near, of the exact
/// binary value, which printing to that many digits does.
double rounded(double value, int64_t digits) {
    constexpr int64_t kMost = 340;  // beyond, a double has no digits
    if (!std::isfinite(value) || digits > kMost) return value;
    if (digits < -kMost) return 0;
    if (digits < 0) {
        const double unit = std::pow(10.0, static_cast<double>(-digits));
        return std::nearbyint(value / unit) * unit;
    }
    const std::string text = fmt::format("{:.{}f}", value, digits);
    double out = value;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

Result<Value> round_filter(Heap&, Value value, const Args& args) {
    TRY(const auto given, bind("round", args, {"precision", "method"}));
    TRY(const int64_t digits, integer_or(given[0], 0, "round's precision"));
    TRY(const std::string_view method, text_or(given[1], "common", "round's method"));
    TRY(expect_number(value, "round"));
    if (method == "common") {
        if (value.is_integral() && digits >= 0) return Value::integer(value.as_integer());
        const double out = rounded(value.as_real(), digits);
        if (value.is_integral()) return truncated(out).value_or(value);
        return Value::real(out);
    }
    if (method != "ceil" && method != "floor")
        return template_error(
            concat("round's method must be common, ceil or floor, not '", method, "'"));
    const double unit = std::pow(10.0, static_cast<double>(digits));
    const double scaled = value.as_real() * unit;
    return Value::real((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit);
}

Result<Value> filesizeformat(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("filesizeformat", args, {"binary"}));
    TRY(const Value real, float_filter(heap, value, {}));
    const double bytes = real.as_real();
    const bool binary = bool_or(given[0], false);
    const double base = binary ? 1024 : 1000;
    if (bytes == 1) return Value::text("1 Byte");
    if (bytes < base) return heap.text(fmt::format("{:.0f} Bytes", std::trunc(bytes)));
    double unit = base;
    size_t prefix = 0;
    constexpr std::string_view kPrefixes = "kMGTPEZY";
    for (; prefix + 1 < kPrefixes.size() && bytes >= unit * base; ++prefix)
        unit *= base;
    const char letter = binary && prefix == 0 ? 'K' : kPrefixes[prefix];
    return heap.text(fmt::format("{:.1f} {}{}B", bytes / unit, letter, binary ? "i" : ""));
}

}  // namespace

std::span<const NamedFilter> number_filters() {
    static constexpr NamedFilter kFilters[] = {{"int", int_filter},
                                               {"float", float_filter},
                                               {"abs", abs_filter},
                                               {"round", round_filter},
                                               {"filesizeformat", filesizeformat}};
    return kFilters;
}

}  // namespace brigada::jinja
