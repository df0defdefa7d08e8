// SliceObject: one object of an answer, its fields asked for by name and by type: what is absent,
// null or of another type is passed over, because an answer has to be read whoever wrote it.
// Strings come as they stand in the bytes, which SliceDocument keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "dialect/escaped.h"
#include "dialect/json_tree.h"

namespace brigada {

/// None, where a field is no object: all its fields are absent.
class SliceObject {
  public:
    SliceObject() = default;
    explicit SliceObject(JsonNode object) : object_(object) {}

    explicit operator bool() const { return object_.has_value(); }

    RawJson raw() const { return object_ ? object_->raw() : RawJson(); }
    Escaped text(std::string_view name) const;
    std::optional<int64_t> integer(std::string_view name) const;
    SliceObject object(std::string_view name) const;
    /// An object's own bytes, or an array's.
    RawJson raw_object(std::string_view name) const;
    RawJson raw_array(std::string_view name) const;

    /// Calls `visit` with each object of an array.
    template <typename Visit>
    void each(std::string_view name, Visit visit) const {
        const std::optional<JsonNode> array = find(name, JsonKind::array);
        if (!array) return;
        for (const JsonNode element : *array)
            if (element.is(JsonKind::object)) visit(SliceObject(element));
    }

  private:
    std::optional<JsonNode> find(std::string_view name, JsonKind kind) const;

    std::optional<JsonNode> object_;
};

class SliceDocument {
  public:
    /// The object that `json` is; halves of surrogate pairs become U+FFFD. Slices live until the
    /// next parse(). Errors as of JsonTree::parse.
    Result<SliceObject> parse(std::string_view json);

  private:
    std::string padded_;
    std::optional<JsonTree> tree_;
};

}  // namespace brigada
