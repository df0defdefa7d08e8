// SliceObject: one object of a JSON document, its fields read by name in any order and its strings
// taken as they stand in the bytes. SliceDocument keeps the bytes. For answers, whose events are
// small and come by the hundred each second.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dialect/escaped.h"

namespace brigada {

/// None, where a field is absent, null or of another type: all its fields are absent. Objects are
/// read depth first: an object is done with when a field of the one around it is asked for.
class SliceObject {
  public:
    SliceObject() = default;
    SliceObject(simdjson::ondemand::object object, bool& broken)
        : object_(object), broken_(&broken) {}

    explicit operator bool() const { return object_.has_value(); }

    Escaped text(std::string_view name);
    std::optional<int64_t> integer(std::string_view name);
    SliceObject object(std::string_view name);
    /// An object's own bytes.
    RawJson raw_object(std::string_view name);

    /// Calls `visit` with each object of an array.
    template <typename Visit>
    void each(std::string_view name, Visit visit) {
        std::optional<simdjson::ondemand::array> array = find_array(name);
        if (!array) return;
        for (auto element : *array) {
            SliceObject found = element_object(element);
            if (*broken_) return;
            if (found) visit(found);
            if (*broken_) return;
        }
    }

  private:
    std::optional<simdjson::ondemand::value> find(std::string_view name);
    std::optional<simdjson::ondemand::array> find_array(std::string_view name);
    SliceObject element_object(simdjson::simdjson_result<simdjson::ondemand::value> element);
    void note(simdjson::error_code code);

    std::optional<simdjson::ondemand::object> object_;
    bool* broken_ = nullptr;
};

class SliceDocument {
  public:
    /// The object that `json` is; none where it is not one. Slices live until the next parse().
    SliceObject parse(std::string_view json);

    /// Whether what was read so far contradicts itself: it is no JSON.
    bool broken() const { return broken_; }

  private:
    simdjson::ondemand::parser parser_;
    simdjson::ondemand::document document_;
    std::string padded_;  // simdjson reads past the end
    bool broken_ = false;
};

}  // namespace brigada
