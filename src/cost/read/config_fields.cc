#include "cost/read/config_fields.h"

#include "base/concat.h"
#include "base/joined.h"
#include "model/shown.h"

namespace brigada {

namespace {

/// A value as a message may show it.
std::string value_text(const Json& value) {
    return value.is_structured() ? std::string(value.type_name()) : shown(dump_json(value));
}

}  // namespace

const Json* ConfigFields::find(std::string_view key) const {
    const auto at = object_.find(key);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
}

Result<std::optional<uint32_t>> ConfigFields::count(Names names, uint64_t most) const {
    for (const std::string_view key : names) {
        const Json* value = find(key);
        if (!value) continue;
        if (!value->is_number_integer() || *value < 0 || *value > most)
            return wrong(key, concat("an integer from 0 to ", most));
        return std::optional(static_cast<uint32_t>(value->get<uint64_t>()));
    }
    return std::optional<uint32_t>();
}

Result<uint32_t> ConfigFields::count_or(Names names, uint64_t most, uint64_t otherwise) const {
    TRY(const auto value, count(names, most));
    return value ? *value : static_cast<uint32_t>(otherwise);
}

Result<uint32_t> ConfigFields::needed(Names names, uint64_t most) const {
    TRY(const auto value, count(names, most));
    if (!value) return Error{Code::corrupt, concat(what_, ": has no ", joined(names))};
    if (*value == 0)
        return Error{Code::corrupt,
                     concat(what_, ": ", *names.begin(), " is 0; 1 to ", most, " is possible")};
    return *value;
}

Result<bool> ConfigFields::flag_or(std::string_view key, bool otherwise) const {
    const Json* value = find(key);
    if (!value) return otherwise;
    if (!value->is_boolean()) return wrong(key, "true or false");
    return value->get<bool>();
}

Result<std::string> ConfigFields::text_or(std::string_view key, std::string_view otherwise) const {
    const Json* value = find(key);
    if (!value) return std::string(otherwise);
    if (!value->is_string()) return wrong(key, "a string");
    return value->get<std::string>();
}

Result<const Json*> ConfigFields::list(std::string_view key, uint64_t size) const {
    const Json* value = find(key);
    if (!value) return value;
    if (!value->is_array()) return wrong(key, "a list");
    if (size != 0 && value->size() != size)
        return Error{Code::corrupt, concat(what_, ": ", key, " says of ", value->size(),
                                           " layers what they are, of ", size, " that there are")};
    return value;
}

Result<std::vector<std::string>> ConfigFields::texts(std::string_view key, uint64_t size) const {
    TRY(const Json* values, list(key, size));
    std::vector<std::string> out;
    if (!values) return out;
    for (const Json& value : *values) {
        if (!value.is_string()) return wrong(key, "a list of strings");
        out.push_back(value.get<std::string>());
    }
    return out;
}

Result<std::vector<uint32_t>> ConfigFields::counts(std::string_view key, uint64_t most,
                                                   uint64_t size) const {
    TRY(const Json* values, list(key, size));
    std::vector<uint32_t> out;
    if (!values) return out;
    for (const Json& value : *values) {
        if (!value.is_number_integer() || value < 0 || value > most)
            return wrong(key, concat("a list of integers from 0 to ", most));
        out.push_back(static_cast<uint32_t>(value.get<uint64_t>()));
    }
    return out;
}

Result<ConfigFields> ConfigFields::inside(std::string_view key) const {
    static const Json none = Json::object();
    const Json* value = find(key);
    if (!value) return ConfigFields(none, what_);
    if (!value->is_object()) return wrong(key, "an object");
    return ConfigFields(*value, what_);
}

Error ConfigFields::wrong(std::string_view key, std::string_view wanted) const {
    const Json* value = find(key);
    return {Code::corrupt, concat(what_, ": ", key, " is ", value ? value_text(*value) : "absent",
                                  "; ", wanted, " is needed")};
}

}  // namespace brigada
