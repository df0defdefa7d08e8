#include "gateway/directory/body_reader.h"

#include <cmath>

#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

constexpr size_t kMaxWarnings = 20;
constexpr double kMaxDollars = 9e9;  // 9e18 nano-dollars fit 63 bits

/// A whole number, also written 3.0.
std::optional<int64_t> whole_from(const Json& value) {
    constexpr int64_t kMax = int64_t{1} << 53;
    if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{kMax}) return std::nullopt;
    if (value.is_number_integer()) {
        const auto number = value.get<int64_t>();
        return number >= 0 && number <= kMax ? std::optional(number) : std::nullopt;
    }
    if (!value.is_number_float()) return std::nullopt;
    const auto number = value.get<double>();
    if (!(number >= 0 && number <= double(kMax)) || number != std::floor(number))
        return std::nullopt;
    return static_cast<int64_t>(number);
}

bool all_text(const Json& value) {
    for (const Json& item : value)
        if (!item.is_string()) return false;
    return true;
}

}  // namespace

std::string excerpt(const Json& value) {
    std::string text = dump_json(value);
    if (text.contains("sk-")) return "a value with a key in it, not shown here";
    if (text.size() <= 60) return text;
    size_t cut = 60;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80)
        --cut;  // not inside a character
    return text.substr(0, cut) + "...";
}

std::optional<Money> money_from(const Json& value) {
    if (!value.is_number()) return std::nullopt;
    const auto amount = value.get<double>();
    if (!(amount >= 0 && amount <= kMaxDollars)) return std::nullopt;
    return Money{std::llround(amount * 1e9)};
}

Json dollars(Money money) {
    return static_cast<double>(money.nano) / 1e9;
}

bool BodyReader::has(std::string_view name) const {
    return body_.is_object() && body_.contains(name);
}

const Json* BodyReader::find(std::string_view name) {
    if (!has(name)) return nullptr;
    read_.emplace(name);
    return &*body_.find(name);
}

void BodyReader::text(std::string_view name, std::string& to) {
    const Json* value = find(name);
    if (!value) return;
    if (value->is_null())
        to.clear();
    else if (value->is_string())
        to = value->get<std::string>();
    else
        wrong(name, "a string", *value);
}

void BodyReader::text(std::string_view name, std::optional<std::string>& to) {
    const Json* value = find(name);
    if (!value) return;
    to.reset();
    if (!value->is_null()) text(name, to.emplace());
}

void BodyReader::flag(std::string_view name, bool& to) {
    const Json* value = find(name);
    if (!value) return;
    if (value->is_null())
        to = false;
    else if (value->is_boolean())
        to = value->get<bool>();
    else
        wrong(name, "true or false", *value);
}

void BodyReader::whole(std::string_view name, std::optional<int64_t>& to) {
    const Json* value = find(name);
    if (!value) return;
    to = whole_from(*value);
    if (!to && !value->is_null()) wrong(name, "a whole number, at least 0", *value);
}

void BodyReader::money(std::string_view name, std::optional<Money>& to) {
    const Json* value = find(name);
    if (!value) return;
    to = money_from(*value);
    if (!to && !value->is_null()) wrong(name, "a number of dollars, 0 to 9 billion", *value);
}

void BodyReader::texts(std::string_view name, std::vector<std::string>& to) {
    const Json* value = find(name);
    if (!value) return;
    if (!value->is_null() && !(value->is_array() && all_text(*value)))
        return wrong(name, "a list of strings", *value);
    to = value->is_null() ? std::vector<std::string>() : value->get<std::vector<std::string>>();
}

void BodyReader::text_map(std::string_view name, std::map<std::string, std::string>& to) {
    const Json* value = find(name);
    if (!value) return;
    if (!value->is_null() && !(value->is_object() && all_text(*value)))
        return wrong(name, "an object of strings", *value);
    to.clear();
    for (const auto& [field, item] : value->items())
        to[field] = item.get<std::string>();
}

void BodyReader::object(std::string_view name, Json& to) {
    const Json* value = find(name);
    if (!value) return;
    if (!value->is_null() && !value->is_object()) return wrong(name, "an object", *value);
    to = value->is_null() ? Json::object() : *value;
}

void BodyReader::time(std::string_view name, std::optional<WallTime>& to) {
    const Json* value = find(name);
    if (!value) return;
    to.reset();
    if (value->is_null()) return;
    const auto read = value->is_string() ? parse_iso(value->get_ref<const std::string&>())
                                         : Result<WallTime>(Error{});
    if (!read.ok()) return wrong(name, "a time like \"2026-03-01T12:30:00Z\"", *value);
    to = *read;
}

void BodyReader::wrong(std::string_view name, std::string_view expected, const Json& got) {
    wrong(name, concat("must be ", expected, "; got ", excerpt(got)));
}

void BodyReader::wrong(std::string_view name, std::string_view why) {
    if (!error_) error_ = Error{Code::invalid_argument, concat(path_, name, ": ", why)};
}

Result<void> BodyReader::finish() const {
    if (error_) return *error_;
    return {};
}

std::vector<std::string> BodyReader::warnings() const {
    std::vector<std::string> warnings = nested_warnings_;
    if (!body_.is_object()) return warnings;
    for (const auto& [name, value] : body_.items()) {
        if (read_.contains(name)) continue;
        if (warnings.size() >= kMaxWarnings) break;
        warnings.push_back(concat(path_, name.substr(0, 64), ": has no effect here"));
    }
    return warnings;
}

}  // namespace brigada
