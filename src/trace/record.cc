#include "trace/record.h"

#include <chrono>
#include <cmath>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr size_t kShownValue = 60;  // characters of a wrong value in a message
constexpr std::string_view kWholeNumber = "a whole number is needed";

std::string shown(std::string_view value) {
    if (value.size() <= kShownValue) return std::string(value);
    return concat(value.substr(0, kShownValue), "...");
}

/// Digits at the beginning of `text`, exactly `width` of them, taken off.
std::optional<int> take_digits(std::string_view& text, size_t width) {
    if (text.size() < width) return {};
    int number = 0;
    for (size_t i = 0; i < width; ++i) {
        if (text[i] < '0' || text[i] > '9') return {};
        number = number * 10 + (text[i] - '0');
    }
    text.remove_prefix(width);
    return number;
}

bool take(std::string_view& text, std::string_view any_of) {
    if (text.empty() || !any_of.contains(text.front())) return false;
    text.remove_prefix(1);
    return true;
}

/// ".9799600" as nanoseconds, taken off; digits after the ninth say nothing.
int64_t take_fraction(std::string_view& text) {
    if (!take(text, ".,")) return 0;
    int64_t ns = 0;
    int64_t unit = 100'000'000;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        ns += (text.front() - '0') * unit;
        unit /= 10;
        text.remove_prefix(1);
    }
    return ns;
}

/// "Z", "+02:00" or nothing, in seconds.
std::optional<int> offset_of(std::string_view text) {
    if (text.empty() || text == "Z") return 0;
    const int sign = text.front() == '-' ? -1 : 1;
    if (!take(text, "+-")) return {};
    const auto hours = take_digits(text, 2);
    take(text, ":");
    const auto minutes = text.empty() ? 0 : take_digits(text, 2);
    if (!hours || !minutes || !text.empty()) return {};
    return sign * (*hours * 3600 + *minutes * 60);
}

}  // namespace

std::string Place::text() const {
    std::string out(file);
    if (line != 0) out += concat(", line ", line);
    if (!list.empty()) out += concat(", ", list, "[", index, "]");
    return out;
}

Error wrong_field(const Place& place, std::string_view field, std::string_view value,
                  std::string_view wanted) {
    return {Code::invalid_argument,
            concat(place.text(), ": ", field, " is ", shown(value), "; ", wanted)};
}

Result<uint32_t> tokens_from(double number, const Place& place, std::string_view field) {
    if (!std::isfinite(number) || std::floor(number) != number)
        return wrong_field(place, field, concat(number), kWholeNumber);
    if (number < 0 || number > kMostTokens)
        return wrong_field(place, field, concat(number),
                           concat("0 to ", kMostTokens, " tokens are believed"));
    return static_cast<uint32_t>(number);
}

Result<Duration> time_from(double number, Duration unit, const Place& place,
                           std::string_view field) {
    const double ns = number * static_cast<double>(unit.ns());
    if (!std::isfinite(number))
        return wrong_field(place, field, concat(number), "a time is needed");
    if (ns < 0 || ns > 9.2e18)
        return wrong_field(place, field, concat(number),
                           "a time from 0 on is needed, of 292 years at most");
    return Duration::nanoseconds(std::llround(ns));
}

const Json* Record::find(std::string_view field) const {
    const auto found = json_.find(field);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
}

Error Record::wrong(std::string_view field, std::string_view wanted) const {
    const Json* value = find(field);
    if (value == nullptr)
        return {Code::invalid_argument, concat(place_.text(), ": no ", field, "; ", wanted)};
    return wrong_field(place_, field, dump_json(*value), wanted);
}

Result<double> Record::number(std::string_view field, std::string_view wanted) const {
    const Json* value = find(field);
    if (value == nullptr || !value->is_number()) return wrong(field, wanted);
    return value->get<double>();
}

Result<uint32_t> Record::tokens(std::string_view field) const {
    TRY(const double value, number(field, "a number of tokens is needed"));
    return tokens_from(value, place_, field);
}

Result<uint32_t> Record::prompt_tokens(std::string_view field) const {
    TRY(const uint32_t value, tokens(field));
    if (value == 0) return wrong(field, "a prompt has at least 1 token");
    return value;
}

Result<uint32_t> Record::tokens_or(std::string_view field, uint32_t otherwise) const {
    if (!has(field)) return otherwise;
    return tokens(field);
}

Result<Duration> Record::time(std::string_view field, Duration unit) const {
    TRY(const double value, number(field, "a time is needed"));
    return time_from(value, unit, place_, field);
}

Result<std::optional<Duration>> Record::time_if(std::string_view field, Duration unit) const {
    if (!has(field)) return std::optional<Duration>();
    TRY(const Duration value, time(field, unit));
    return std::optional(value);
}

Result<int64_t> Record::integer(std::string_view field) const {
    const Json* value = find(field);
    if (value == nullptr || !value->is_number_integer()) return wrong(field, kWholeNumber);
    return value->get<int64_t>();
}

Result<const Json*> Record::array(std::string_view field) const {
    const Json* value = find(field);
    if (value == nullptr || !value->is_array()) return wrong(field, "a list is needed");
    return value;
}

Result<std::vector<uint64_t>> Record::ids(std::string_view field) const {
    std::vector<uint64_t> out;
    if (!has(field)) return out;
    TRY(const Json* list, array(field));
    out.reserve(list->size());
    for (const Json& id : *list) {
        if (!id.is_number_integer() || (!id.is_number_unsigned() && id.get<int64_t>() < 0))
            return wrong_field(place_, concat(field, "[", out.size(), "]"), dump_json(id),
                               "ids are whole numbers from 0 on");
        out.push_back(id.get<uint64_t>());
    }
    return out;
}

Result<const Json*> Record::object(std::string_view field) const {
    const Json* value = find(field);
    if (value == nullptr || !value->is_object()) return wrong(field, "an object is needed");
    return value;
}

Result<std::string> Record::text(std::string_view field) const {
    const Json* value = find(field);
    if (value != nullptr && value->is_string()) return value->get<std::string>();
    if (value != nullptr && value->is_number()) return value->dump();
    return wrong(field, "a text is needed");
}

Result<std::string> Record::text_or(std::string_view field, std::string_view otherwise) const {
    if (!has(field)) return std::string(otherwise);
    return text(field);
}

Result<Json> parse_record(std::string_view line, const Place& place) {
    TRY(Json json, parse_json(line, place.text()));
    if (!json.is_object())
        return Error{Code::invalid_argument, concat(place.text(), ": not a JSON object")};
    return json;
}

std::optional<int64_t> parse_timestamp(std::string_view text) {
    const auto year = take_digits(text, 4);
    const bool first_dash = take(text, "-");
    const auto month = take_digits(text, 2);
    const bool second_dash = take(text, "-");
    const auto day = take_digits(text, 2);
    if (!year || !month || !day || !first_dash || !second_dash || !take(text, "T ")) return {};
    const auto hour = take_digits(text, 2);
    const bool first_colon = take(text, ":");
    const auto minute = take_digits(text, 2);
    const bool second_colon = take(text, ":");
    const auto second = take_digits(text, 2);
    if (!hour || !minute || !second || !first_colon || !second_colon) return {};
    const int64_t fraction = take_fraction(text);
    const auto offset = offset_of(text);
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok() || !offset || *year < 1970 || *year > 2200 || *hour > 23 || *minute > 59 ||
        *second > 60)
        return {};
    const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    const int64_t seconds = days * 86'400 + *hour * 3600 + *minute * 60 + *second - *offset;
    return seconds * 1'000'000'000 + fraction;
}

}  // namespace brigada
