#include "dialect/json_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/concat.h"

namespace brigada {

Error wrong(JsonNode got, std::string_view expected) {
    return {Code::invalid_argument,
            concat(got.path(), ": must be ", expected, "; got ", got.excerpt())};
}

Error missing(JsonNode object, std::string_view name, std::string_view expected) {
    const std::string path = object.path();
    return {Code::invalid_argument,
            concat(path, path.empty() ? "" : ".", name, ": must be ", expected, "; it is missing")};
}

Error untranslatable(JsonNode got, std::string_view why) {
    return {Code::unsupported, concat(got.path(), ": ", why, "; got ", got.excerpt())};
}

Result<Escaped> text_of(JsonNode value) {
    if (!value.is(JsonKind::string)) return wrong(value, "a string");
    return value.text();
}

Result<bool> boolean_of(JsonNode value) {
    if (!value.is(JsonKind::boolean)) return wrong(value, "true or false");
    return value.raw().text == "true";
}

Result<RawJson> number_of(JsonNode value) {
    if (!value.is(JsonKind::number)) return wrong(value, "a number");
    return value.raw();
}

Result<RawJson> object_of(JsonNode value) {
    if (!value.is(JsonKind::object)) return wrong(value, "an object");
    return value.raw();
}

Result<int64_t> integer_of(JsonNode value, int64_t low) {
    const std::string_view text = value.raw().text;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = value.is(JsonKind::number) && error == std::errc() &&
                       std::abs(number) < 0x1p53 && number == std::floor(number);
    if (!whole || number < static_cast<double>(low))
        return wrong(value, concat("a whole number from ", low, " to ", int64_t{1} << 53));
    return static_cast<int64_t>(number);
}

Result<JsonNode> array_of(JsonNode value) {
    if (!value.is(JsonKind::array)) return wrong(value, "an array");
    return value;
}

Result<Escaped> optional_text(JsonNode object, std::string_view name) {
    const auto value = object.find(name);
    return value ? text_of(*value) : Escaped();
}

Result<RawJson> optional_object(JsonNode object, std::string_view name) {
    const auto value = object.find(name);
    return value ? object_of(*value) : RawJson();
}

Result<std::optional<bool>> optional_boolean(JsonNode object, std::string_view name) {
    const auto value = object.find(name);
    if (!value) return std::optional<bool>();
    TRY(const bool flag, boolean_of(*value));
    return std::optional(flag);
}

Result<Escaped> needed_text(JsonNode object, std::string_view name) {
    TRY(const JsonNode value, needed(object, name, "a string"));
    return text_of(value);
}

Result<Escaped> needed_name(JsonNode object, std::string_view name) {
    TRY(const JsonNode value, needed(object, name, "a string that is not empty"));
    if (!value.is(JsonKind::string) || value.text().empty())
        return wrong(value, "a string that is not empty");
    return value.text();
}

Result<JsonNode> needed(JsonNode object, std::string_view name, std::string_view expected) {
    if (!object.is(JsonKind::object)) return wrong(object, "an object");
    const auto value = object.find(name);
    if (!value) return missing(object, name, expected);
    return *value;
}

Result<void> read_fields(JsonNode body, std::span<const FieldRule> rules, Conversation& to) {
    std::vector<bool> seen(rules.size());
    for (const JsonNode field : body) {
        const auto rule = std::ranges::find(rules, field.key(), &FieldRule::name);
        if (rule == rules.end()) {
            if (!field.is(JsonKind::null)) note_unknown(to, field.key());
            continue;
        }
        const size_t index = static_cast<size_t>(rule - rules.begin());
        if (seen[index])
            return Error{Code::invalid_argument, concat(field.key(), ": is given twice")};
        seen[index] = true;
        if (!field.is(JsonKind::null)) TRY(rule->read(field, to));
    }
    return {};
}

Result<void> pass_over(JsonNode, Conversation&) {
    return {};
}

void note_unknown(Conversation& to, std::string_view name) {
    constexpr size_t kMost = 64, kLongest = 64;  // they may come from anyone, and go into headers
    std::string noted = escaped(name.substr(0, kLongest));
    if (to.unknown.size() < kMost && std::ranges::find(to.unknown, noted) == to.unknown.end())
        to.unknown.push_back(std::move(noted));
}

}  // namespace brigada
