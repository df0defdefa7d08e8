#include "api/json_fields.h"

#include <cmath>

#include "dialect/json_tree.h"

namespace brigada {

namespace {

namespace dom = simdjson::dom;

constexpr size_t kExcerpt = 60;

/// What simdjson says of a broken body, in a sentence for its sender.
std::string describe(simdjson::error_code code) {
    switch (code) {
        case simdjson::EMPTY:
            return "the body is empty";
        case simdjson::UTF8_ERROR:
            return "the body is not valid UTF-8";
        case simdjson::DEPTH_ERROR:
            return "the body is nested too deeply";
        default:
            return concat("the body is not valid JSON: ", simdjson::error_message(code));
    }
}

Json object_to_json(dom::object object) {
    Json out = Json::object();
    for (auto field : object)
        out[std::string(field.key)] = to_json(field.value);
    return out;
}

Json array_to_json(dom::array array) {
    Json out = Json::array();
    for (auto element : array)
        out.push_back(to_json(element));
    return out;
}

}  // namespace

std::optional<dom::element> JsonFields::find(std::string_view name) const {
    dom::element value;
    if (object_.at_key(name).get(value) != simdjson::SUCCESS || value.is_null())
        return std::nullopt;
    return value;
}

Result<std::optional<std::string>> JsonFields::text(std::string_view name) const {
    const auto value = find(name);
    if (!value) return std::optional<std::string>();
    std::string_view text;
    if (value->get(text) != simdjson::SUCCESS) return wrong(name, "a string", *value);
    return std::optional(std::string(text));
}

Result<std::optional<bool>> JsonFields::boolean(std::string_view name) const {
    const auto value = find(name);
    if (!value) return std::optional<bool>();
    bool flag = false;
    if (value->get(flag) != simdjson::SUCCESS) return wrong(name, "true or false", *value);
    return std::optional(flag);
}

Result<std::optional<double>> JsonFields::number(std::string_view name, double low,
                                                 double high) const {
    const auto value = find(name);
    if (!value) return std::optional<double>();
    double number = 0;
    if (value->get(number) != simdjson::SUCCESS || !(number >= low && number <= high))
        return wrong(name, concat("a number from ", low, " to ", high), *value);
    return std::optional(number);
}

Result<std::optional<int64_t>> JsonFields::integer(std::string_view name, int64_t low,
                                                   int64_t high) const {
    const auto value = find(name);
    if (!value) return std::optional<int64_t>();
    int64_t number = 0;
    double real = 0;
    bool whole = value->get(number) == simdjson::SUCCESS;
    if (!whole && value->get(real) == simdjson::SUCCESS && std::abs(real) < 0x1p53 &&
        real == std::floor(real)) {
        number = static_cast<int64_t>(real);
        whole = true;
    }
    if (!whole || number < low || number > high)
        return wrong(name, concat("a whole number from ", low, " to ", high), *value);
    return std::optional(number);
}

Result<std::optional<dom::object>> JsonFields::object(std::string_view name) const {
    const auto value = find(name);
    if (!value) return std::optional<dom::object>();
    dom::object object;
    if (value->get(object) != simdjson::SUCCESS) return wrong(name, "an object", *value);
    return std::optional(object);
}

Result<std::optional<dom::array>> JsonFields::array(std::string_view name) const {
    const auto value = find(name);
    if (!value) return std::optional<dom::array>();
    dom::array array;
    if (value->get(array) != simdjson::SUCCESS) return wrong(name, "an array", *value);
    return std::optional(array);
}

Error JsonFields::wrong(std::string_view name, std::string_view expected, dom::element got) const {
    return {Code::invalid_argument,
            concat(path_of(name), ": must be ", expected, "; got ", excerpt(got))};
}

Result<TokenId> read_token_id(const JsonFields& fields, std::string_view name, dom::element value,
                              uint32_t vocab) {
    int64_t id = -1;
    if (value.get(id) != simdjson::SUCCESS || id < 0 || id >= vocab)
        return fields.wrong(name, concat("token ids from 0 to ", vocab - 1), value);
    return TokenId{static_cast<uint32_t>(id)};
}

std::string excerpt(dom::element element) {
    std::string text = simdjson::minify(element);
    if (text.size() <= kExcerpt) return text;
    size_t cut = kExcerpt;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80)
        --cut;
    return text.substr(0, cut) + "...";
}

Json to_json(dom::element element) {
    switch (element.type()) {
        case dom::element_type::OBJECT:
            return object_to_json(element.get_object());
        case dom::element_type::ARRAY:
            return array_to_json(element.get_array());
        case dom::element_type::STRING:
            return std::string(element.get_string().value_unsafe());
        case dom::element_type::INT64:
            return element.get_int64().value_unsafe();
        case dom::element_type::UINT64:
            return element.get_uint64().value_unsafe();
        case dom::element_type::DOUBLE:
            return element.get_double().value_unsafe();
        case dom::element_type::BOOL:
            return element.get_bool().value_unsafe();
        case dom::element_type::NULL_VALUE:
            return nullptr;
    }
    return nullptr;
}

Result<dom::object> parse_body(dom::parser& parser, std::string_view body) {
    dom::element root;
    auto code = parser.parse(body.data(), body.size(), false).get(root);
    if (code == simdjson::STRING_ERROR) {  // of half a surrogate pair, or of no escape at all
        const std::string mended = mended_surrogates(body);
        code = parser.parse(mended).get(root);
    }
    if (code) return Error{Code::invalid_argument, describe(code)};
    dom::object object;
    if (root.get(object) != simdjson::SUCCESS)
        return Error{Code::invalid_argument,
                     concat("the body must be a JSON object; got ", excerpt(root))};
    return object;
}

}  // namespace brigada
