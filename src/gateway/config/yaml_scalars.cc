// YamlValue's typed scalars: what a number, a time, an amount of money may look like.
#include <array>
#include <cctype>

#include "base/concat.h"
#include "gateway/config/decimal.h"
#include "gateway/config/yaml_reader.h"

namespace brigada {
namespace {

constexpr int64_t kLongestSeconds = 366 * 24 * 3600;
constexpr int64_t kBytesPerMegabyte = 1 << 20;
constexpr int64_t kMostMegabytes = 1 << 20;  // a terabyte

std::optional<bool> parse_boolean(const std::string& text) {
    std::string word;
    for (const char c : text)
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (word == "true" || word == "yes" || word == "on") return true;
    if (word == "false" || word == "no" || word == "off") return false;
    return std::nullopt;
}

std::optional<Duration> parse_seconds(const std::string& text) {
    const auto ns = scaled_decimal(text, 9);
    if (!ns || *ns < 0 || *ns > Duration::seconds(kLongestSeconds).ns()) return std::nullopt;
    return Duration::nanoseconds(*ns);
}

std::optional<Money> parse_dollars(const std::string& text) {
    const auto nano = scaled_decimal(text, 9);
    if (!nano || *nano < 0) return std::nullopt;
    return Money{*nano};
}

std::optional<int64_t> parse_permille(const std::string& text) {
    const auto permille = scaled_decimal(text, 3);
    if (!permille || *permille < 0 || *permille > 1000) return std::nullopt;
    return permille;
}

std::optional<int64_t> parse_megabytes(const std::string& text) {
    const auto thousandths = scaled_decimal(text, 3);
    if (!thousandths || *thousandths < 0 || *thousandths > kMostMegabytes * 1000)
        return std::nullopt;
    return *thousandths * kBytesPerMegabyte / 1000;
}

std::optional<std::string> parse_price(const std::string& text) {
    return is_plain_decimal(text) ? std::optional(text) : std::nullopt;
}

std::optional<std::string> parse_period(const std::string& text) {
    constexpr std::array<std::string_view, 5> kUnits = {"s", "m", "h", "d", "mo"};
    const size_t unit = std::min(text.find_first_not_of("0123456789"), text.size());
    const bool counts = unit > 0 && unit <= 9 && text.find_first_not_of('0') < unit;
    if (!counts || std::ranges::count(kUnits, std::string_view(text).substr(unit)) == 0)
        return std::nullopt;
    return text;
}

std::string shown_range(IntegerRange range) {
    if (range.high == std::numeric_limits<int64_t>::max())
        return concat("a whole number of at least ", range.low);
    return concat("a whole number from ", range.low, " to ", range.high);
}

}  // namespace

template <typename Out>
std::optional<Out> YamlValue::as(std::optional<Out> (*parse)(const std::string&),
                                 std::string_view expected) const {
    if (!is_scalar()) {
        must_be(expected);
        return std::nullopt;
    }
    const auto written = text();
    if (!written) return std::nullopt;  // text() has said why
    auto value = parse(*written);
    if (!value) must_be(expected);
    return value;
}

std::optional<bool> YamlValue::boolean() const {
    return as(parse_boolean, "true or false");
}

std::optional<int64_t> YamlValue::integer(IntegerRange range) const {
    constexpr auto parse = +[](const std::string& text) { return scaled_decimal(text, 0); };
    const auto value = as(parse, shown_range(range));
    if (!value || (*value >= range.low && *value <= range.high)) return value;
    must_be(shown_range(range));
    return std::nullopt;
}

std::optional<Duration> YamlValue::seconds() const {
    return as(parse_seconds, "a number of seconds from 0 to a year, such as 30 or 0.5");
}

std::optional<Money> YamlValue::dollars() const {
    return as(parse_dollars,
              "an amount of dollars such as 12.50, at most 9 digits after the point");
}

std::optional<int64_t> YamlValue::permille() const {
    return as(parse_permille, "a fraction from 0 to 1 with at most 3 digits after the point");
}

std::optional<int64_t> YamlValue::megabytes() const {
    return as(parse_megabytes, "a number of megabytes, such as 32");
}

std::optional<std::string> YamlValue::price() const {
    return as(parse_price, "a price in dollars that is not negative, such as 3e-06");
}

std::optional<std::string> YamlValue::period() const {
    return as(parse_period, "a number with s, m, h, d or mo after it, such as 30d");
}

}  // namespace brigada
