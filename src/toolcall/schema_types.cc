#include "toolcall/schema_types.h"

#include <string>

namespace brigada {

namespace {

/// Schemas looked at for one parameter: references may go in circles.
constexpr int kMostSchemas = 200;

const Json* member(const Json& schema, std::string_view name) {
    if (!schema.is_object()) return nullptr;
    const auto it = schema.find(name);
    return it == schema.end() ? nullptr : &*it;
}

/// What "#/$defs/place" points at within `root`; nothing for other documents.
const Json* resolve(const Json& root, const Json& reference) {
    if (!reference.is_string()) return nullptr;
    const auto& path = reference.get_ref<const std::string&>();
    if (!path.starts_with("#/")) return nullptr;
    const Json* at = &root;
    for (size_t from = 2; at && from <= path.size();) {
        const size_t slash = std::min(path.find('/', from), path.size());
        at = member(*at, std::string_view(path).substr(from, slash - from));
        from = slash + 1;
    }
    return at;
}

SchemaTypes types_of(const Json& root, const Json& schema, int& left);

SchemaTypes types_of_words(const Json& type) {
    if (type.is_string()) return SchemaTypes::named(type.get_ref<const std::string&>());
    if (!type.is_array()) return SchemaTypes::any();
    SchemaTypes out = SchemaTypes::none();
    for (const Json& one : type)
        out = out | (one.is_string() ? SchemaTypes::named(one.get_ref<const std::string&>())
                                     : SchemaTypes::any());
    return out;
}

SchemaTypes types_of_values(const Json& values) {
    if (!values.is_array()) return SchemaTypes::any();
    SchemaTypes out = SchemaTypes::none();
    for (const Json& value : values)
        out = out | SchemaTypes::of_value(value);
    return out;
}

SchemaTypes types_of_any(const Json& root, const Json& schemas, int& left) {
    if (!schemas.is_array()) return SchemaTypes::any();
    SchemaTypes out = SchemaTypes::none();
    for (const Json& one : schemas)
        out = out | types_of(root, one, left);
    return out;
}

SchemaTypes types_of_all(const Json& root, const Json& schemas, int& left) {
    SchemaTypes out = SchemaTypes::any();
    if (!schemas.is_array()) return out;
    for (const Json& one : schemas)
        out = out & types_of(root, one, left);
    return out;
}

SchemaTypes types_of(const Json& root, const Json& schema, int& left) {
    SchemaTypes out = SchemaTypes::any();
    if (--left < 0) return out;
    if (const Json* type = member(schema, "type")) out = out & types_of_words(*type);
    if (const Json* values = member(schema, "enum")) out = out & types_of_values(*values);
    if (const Json* value = member(schema, "const")) out = out & SchemaTypes::of_value(*value);
    for (const std::string_view word : {"anyOf", "oneOf"})
        if (const Json* some = member(schema, word)) out = out & types_of_any(root, *some, left);
    if (const Json* all = member(schema, "allOf")) out = out & types_of_all(root, *all, left);
    if (const Json* reference = member(schema, "$ref"))
        if (const Json* other = resolve(root, *reference)) out = out & types_of(root, *other, left);
    return out;
}

}  // namespace

SchemaTypes SchemaTypes::named(std::string_view type) {
    if (type == "string") return SchemaTypes(kStrings);
    if (type == "integer" || type == "number") return SchemaTypes(kNumbers);
    if (type == "boolean") return SchemaTypes(kBooleans);
    if (type == "array") return SchemaTypes(kArrays);
    if (type == "object") return SchemaTypes(kObjects);
    if (type == "null") return SchemaTypes(kNulls);
    return any();
}

SchemaTypes SchemaTypes::of_value(const Json& value) {
    if (value.is_string()) return SchemaTypes(kStrings);
    if (value.is_number()) return SchemaTypes(kNumbers);
    if (value.is_boolean()) return SchemaTypes(kBooleans);
    if (value.is_array()) return SchemaTypes(kArrays);
    if (value.is_object()) return SchemaTypes(kObjects);
    return SchemaTypes(kNulls);
}

SchemaTypes parameter_types(const Json& parameters, std::string_view name) {
    const Json* properties = member(parameters, "properties");
    const Json* schema = properties ? member(*properties, name) : nullptr;
    if (!schema) schema = member(parameters, "additionalProperties");
    int left = kMostSchemas;
    return schema ? types_of(parameters, *schema, left) : SchemaTypes::any();
}

}  // namespace brigada
