#include "dialect/json_slices.h"

#include <charconv>

namespace brigada {

std::optional<JsonNode> SliceObject::find(std::string_view name, JsonKind kind) const {
    const std::optional<JsonNode> field = object_ ? object_->find(name) : std::nullopt;
    return field && field->is(kind) ? field : std::nullopt;
}

Escaped SliceObject::text(std::string_view name) const {
    const std::optional<JsonNode> field = find(name, JsonKind::string);
    return field ? field->text() : Escaped();
}

std::optional<int64_t> SliceObject::integer(std::string_view name) const {
    const std::optional<JsonNode> field = find(name, JsonKind::number);
    if (!field) return std::nullopt;
    const std::string_view digits = field->raw().text;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    return error == std::errc() && end == digits.end() ? std::optional(value) : std::nullopt;
}

SliceObject SliceObject::object(std::string_view name) const {
    const std::optional<JsonNode> field = find(name, JsonKind::object);
    return field ? SliceObject(*field) : SliceObject();
}

RawJson SliceObject::raw_object(std::string_view name) const {
    const std::optional<JsonNode> field = find(name, JsonKind::object);
    return field ? field->raw() : RawJson();
}

RawJson SliceObject::raw_array(std::string_view name) const {
    const std::optional<JsonNode> field = find(name, JsonKind::array);
    return field ? field->raw() : RawJson();
}

Result<SliceObject> SliceDocument::parse(std::string_view json) {
    padded_.reserve(json.size() + kJsonPadding);
    padded_ = json;
    Result<JsonTree> tree = JsonTree::parse(padded_);
    if (!tree.ok() && tree.error().code == Code::corrupt) {
        padded_ = mended_surrogates(json);
        padded_.reserve(padded_.size() + kJsonPadding);
        tree = JsonTree::parse(padded_);
    }
    if (!tree.ok()) return std::move(tree).error();
    tree_ = std::move(tree).value();
    return SliceObject(tree_->root());
}

}  // namespace brigada
