#include "dialect/json_slices.h"

#include <algorithm>
#include <cctype>

namespace brigada {

namespace {

namespace ondemand = simdjson::ondemand;

std::string_view without_space_after(std::string_view token) {
    const size_t last = token.find_last_not_of(" \t\r\n");
    return last == token.npos ? std::string_view() : token.substr(0, last + 1);
}

bool are_hex(std::string_view digits) {
    return std::ranges::all_of(digits, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

/// simdjson looks at escapes only where it undoes them, and we don't.
bool has_whole_escapes(std::string_view text) {
    for (size_t at = text.find('\\'); at != text.npos; at = text.find('\\', at)) {
        const std::string_view rest = text.substr(at + 1);
        if (rest.empty()) return false;
        const bool is_unit = rest[0] == 'u';
        if (is_unit ? rest.size() < 5 || !are_hex(rest.substr(1, 4))
                    : std::string_view("\"\\/bfnrt").find(rest[0]) == std::string_view::npos)
            return false;
        at += is_unit ? 6 : 2;
    }
    return true;
}

}  // namespace

void SliceObject::note(simdjson::error_code code) {
    if (code != simdjson::SUCCESS && code != simdjson::NO_SUCH_FIELD &&
        code != simdjson::INCORRECT_TYPE && code != simdjson::NUMBER_ERROR)
        *broken_ = true;
}

std::optional<ondemand::value> SliceObject::find(std::string_view name) {
    if (!object_ || *broken_) return std::nullopt;
    ondemand::value value;
    const simdjson::error_code code = object_->find_field_unordered(name).get(value);
    note(code);
    if (code != simdjson::SUCCESS) return std::nullopt;
    return value;
}

Escaped SliceObject::text(std::string_view name) {
    std::optional<ondemand::value> value = find(name);
    ondemand::json_type type;
    if (!value) return {};
    if (const auto code = value->type().get(type)) return note(code), Escaped{};
    if (type != ondemand::json_type::string) return {};
    const std::string_view token = without_space_after(value->raw_json_token());
    if (token.size() < 2 || token.back() != '"') return *broken_ = true, Escaped{};
    const std::string_view inside = token.substr(1, token.size() - 2);
    if (!has_whole_escapes(inside)) return *broken_ = true, Escaped{};
    return {inside};
}

std::optional<int64_t> SliceObject::integer(std::string_view name) {
    std::optional<ondemand::value> value = find(name);
    int64_t number = 0;
    if (!value) return std::nullopt;
    const simdjson::error_code code = value->get_int64().get(number);
    note(code);
    return code ? std::nullopt : std::optional(number);
}

SliceObject SliceObject::object(std::string_view name) {
    std::optional<ondemand::value> value = find(name);
    return value ? element_object(std::move(*value)) : SliceObject();
}

RawJson SliceObject::raw_object(std::string_view name) {
    SliceObject found = object(name);
    std::string_view raw;
    if (!found) return {};
    if (const auto code = found.object_->raw_json().get(raw)) return note(code), RawJson{};
    return {without_space_after(raw)};
}

std::optional<ondemand::array> SliceObject::find_array(std::string_view name) {
    std::optional<ondemand::value> value = find(name);
    ondemand::array array;
    if (!value) return std::nullopt;
    const simdjson::error_code code = value->get_array().get(array);
    note(code);
    return code ? std::nullopt : std::optional(array);
}

SliceObject SliceObject::element_object(simdjson::simdjson_result<ondemand::value> element) {
    ondemand::object object;
    const simdjson::error_code code = element.get_object().get(object);
    note(code);
    return code ? SliceObject() : SliceObject(object, *broken_);
}

SliceObject SliceDocument::parse(std::string_view json) {
    broken_ = false;
    padded_.reserve(json.size() + simdjson::SIMDJSON_PADDING);
    padded_ = json;
    ondemand::object object;
    if (parser_.iterate(padded_.data(), padded_.size(), padded_.capacity()).get(document_) ||
        document_.get_object().get(object))
        return broken_ = true, SliceObject();
    return {object, broken_};
}

}  // namespace brigada
