// oneOf: exactly one branch may accept a value. A grammar can only offer branches side by side, so
// it has to be certain that what is written for one is refused by every other.
#include <algorithm>

#include "base/concat.h"
#include "grammar/schema_reader.h"

namespace brigada {

namespace {

/// How deep properties of properties are compared.
constexpr uint32_t kMaxComparedDepth = 4;

bool all_values_differ(const std::vector<Json>& a, const std::vector<Json>& b) {
    return std::none_of(a.begin(), a.end(), [&](const Json& value) {
        return std::find(b.begin(), b.end(), value) != b.end();
    });
}

/// Whether one of the parts refuses a property of this name outright.
bool refuses(const SchemaParts& parts, const std::string& key) {
    return std::any_of(parts.begin(), parts.end(), [&](const SchemaPart& part) {
        const Json* additional = part.find("additionalProperties");
        const Json* properties = part.find("properties");
        return additional && *additional == false && !part.has("patternProperties") &&
               !(properties && properties->contains(key));
    });
}

}  // namespace

Result<void> SchemaReader::check_apart(const std::vector<SchemaParts>& branches,
                                       const SchemaPart& part) {
    for (size_t i = 0; i < branches.size(); ++i) {
        for (size_t j = 0; j < branches.size(); ++j) {
            if (i == j) continue;
            TRY(const bool apart, never_satisfies(branches[i], branches[j], 0));
            if (!apart)
                return part.error(
                    Code::unsupported, "oneOf",
                    concat("a value of branch ", i, " may satisfy branch ", j,
                           ", too; use anyOf, or give each a required property with a "
                           "const of its own"));
        }
    }
    return {};
}

/// Whether what is written for `made` is certainly refused by `other`.
Result<bool> SchemaReader::never_satisfies(SchemaParts made, SchemaParts other, uint32_t depth) {
    TRY(expand(document_, made));
    TRY(expand(document_, other));
    const auto is_false = [](const SchemaPart& part) { return part.is_false(); };
    if (std::any_of(made.begin(), made.end(), is_false) ||
        std::any_of(other.begin(), other.end(), is_false))
        return true;
    TRY(const uint8_t written, written_types(made));
    TRY(const auto accepted, declared_types(other));
    const auto common = static_cast<uint8_t>(written & accepted.value_or(kAnyType));
    if (common == 0) return true;
    if (has_values(made) && has_values(other)) {
        TRY(const auto values, common_values(made));
        TRY(const auto others, common_values(other));
        if (all_values_differ(values, others)) return true;
    }
    if (common != kObject || depth == kMaxComparedDepth) return false;
    return object_never_satisfies(made, other, depth);
}

Result<bool> SchemaReader::object_never_satisfies(const SchemaParts& made, const SchemaParts& other,
                                                  uint32_t depth) {
    TRY(const ObjectShape ours, object_shape(made));
    TRY(const ObjectShape theirs, object_shape(other));
    for (const SchemaProperty& wanted : theirs.properties)
        if (wanted.required && !ours.open && !ours.find(wanted.key)) return true;
    for (const SchemaProperty& written : ours.properties) {
        if (!written.required) continue;
        if (refuses(other, written.key)) return true;
        const SchemaProperty* same = theirs.find(written.key);
        if (!same) continue;
        TRY(const bool apart, never_satisfies(written.value, same->value, depth + 1));
        if (apart) return true;
    }
    return false;
}

}  // namespace brigada
