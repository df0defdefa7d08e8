// Which types a value may have, and which of them are written.
#include "base/concat.h"
#include "grammar/schema_reader.h"

namespace brigada {

namespace {

struct NamedType {
    std::string_view name;
    uint8_t types;
};
constexpr NamedType kTypes[] = {
    {"null", kNull},       {"boolean", kBoolean},
    {"integer", kInteger}, {"number", kInteger | kFraction},
    {"string", kString},   {"array", kArray},
    {"object", kObject},
};

/// The types that a keyword speaks of; it says nothing of the others.
constexpr NamedType kSpeaksOf[] = {
    {"properties", kObject},
    {"required", kObject},
    {"additionalProperties", kObject},
    {"patternProperties", kObject},
    {"propertyNames", kObject},
    {"minProperties", kObject},
    {"maxProperties", kObject},
    {"unevaluatedProperties", kObject},
    {"items", kArray},
    {"prefixItems", kArray},
    {"additionalItems", kArray},
    {"minItems", kArray},
    {"maxItems", kArray},
    {"uniqueItems", kArray},
    {"minLength", kString},
    {"maxLength", kString},
    {"pattern", kString},
    {"format", kString},
    {"minimum", kInteger | kFraction},
    {"maximum", kInteger | kFraction},
    {"exclusiveMinimum", kInteger | kFraction},
    {"exclusiveMaximum", kInteger | kFraction},
    {"multipleOf", kInteger | kFraction},
};

Result<uint8_t> type_named(const SchemaPart& part, const Json& name) {
    if (name.is_string())
        for (const NamedType& type : kTypes)
            if (name.get_ref<const std::string&>() == type.name) return type.types;
    return part.error(Code::invalid_argument, "type",
                      concat("must be null, boolean, integer, number, string, array, object or a "
                             "list of them; got ",
                             dump_json(name)));
}

}  // namespace

/// What all parts with a type have in common; nullopt when none has one.
Result<std::optional<uint8_t>> SchemaReader::declared_types(const SchemaParts& parts) {
    std::optional<uint8_t> out;
    for (const SchemaPart& part : parts) {
        const Json* type = part.find("type");
        if (!type) continue;
        uint8_t types = 0;
        if (type->is_array()) {
            for (const Json& name : *type) {
                TRY(const uint8_t one, type_named(part, name));
                types |= one;
            }
        } else {
            TRY(types, type_named(part, *type));
        }
        const Json* nullable = part.find("nullable");  // of OpenAPI 3.0
        if (nullable && nullable->is_boolean() && nullable->get<bool>()) types |= kNull;
        out = static_cast<uint8_t>(out.value_or(kAnyType) & types);
    }
    return out;
}

const Json& SchemaReader::but_strings() {
    static const Json schema = {{"type", {"null", "boolean", "number", "array", "object"}}};
    return schema;
}

/// Without a type, those that the keywords speak of: who lists properties means an object.
Result<uint8_t> SchemaReader::written_types(SchemaParts parts) {
    const auto marks =
        std::erase_if(parts, [](const SchemaPart& part) { return part.schema == &but_strings(); });
    const auto left = static_cast<uint8_t>(marks > 0 ? kAnyType & ~kString : kAnyType);
    TRY(const auto declared, declared_types(parts));
    if (declared) return static_cast<uint8_t>(*declared & left);
    uint8_t out = 0;
    for (const SchemaPart& part : parts)
        for (const NamedType& keyword : kSpeaksOf)
            if (part.has(keyword.name)) out |= keyword.types;
    return static_cast<uint8_t>((out == 0 ? uint8_t{kAnyType} : out) & left);
}

}  // namespace brigada
