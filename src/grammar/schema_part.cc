#include "grammar/schema_part.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/concat.h"

namespace brigada {

namespace {

struct Keyword {
    std::string_view name;
    uint8_t spent_by = 0;  // the bit of SchemaPart::Spent
};

/// What is honoured.
constexpr Keyword kKnown[] = {
    {"$ref", SchemaPart::kRef},
    {"allOf", SchemaPart::kAllOf},
    {"anyOf", SchemaPart::kAnyOf},
    {"oneOf", SchemaPart::kOneOf},
    {"enum", SchemaPart::kValues},
    {"const", SchemaPart::kValues},
    {"type"},
    {"properties"},
    {"required"},
    {"additionalProperties"},
    {"patternProperties"},
    {"propertyNames"},
    {"minProperties"},
    {"maxProperties"},
    {"unevaluatedProperties"},
    {"items"},
    {"prefixItems"},
    {"additionalItems"},
    {"minItems"},
    {"maxItems"},
    {"uniqueItems"},
    {"minLength"},
    {"maxLength"},
    {"pattern"},
    {"format"},
    {"minimum"},
    {"maximum"},
    {"exclusiveMinimum"},
    {"exclusiveMaximum"},
    {"multipleOf"},
};

/// What JSON Schema defines to restrict values, and a grammar cannot.
constexpr std::string_view kRefused[] = {"not",
                                         "if",
                                         "then",
                                         "else",
                                         "contains",
                                         "minContains",
                                         "maxContains",
                                         "dependencies",
                                         "dependentRequired",
                                         "$dynamicRef",
                                         "$recursiveRef",
                                         "dependentSchemas",
                                         "unevaluatedItems"};

const Keyword* known(std::string_view name) {
    const auto found = std::find_if(std::begin(kKnown), std::end(kKnown),
                                    [&](const Keyword& k) { return k.name == name; });
    return found == std::end(kKnown) ? nullptr : found;
}

std::string pointer_step(std::string_view key) {
    std::string out = "/";
    for (char c : key)
        out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return out;
}

/// %XX and ~0, ~1 undone.
std::string decoded_step(std::string_view step) {
    std::string bytes;
    for (size_t i = 0; i < step.size(); ++i) {
        unsigned code = 0;
        const char* hex = step.data() + i + 1;
        if (step[i] == '%' && i + 2 < step.size() + 0 &&
            std::from_chars(hex, hex + 2, code, 16).ptr == hex + 2) {
            bytes += static_cast<char>(code);
            i += 2;
        } else {
            bytes += step[i];
        }
    }
    std::string out;
    for (size_t i = 0; i < bytes.size(); ++i) {
        const bool escaped = bytes[i] == '~' && i + 1 < bytes.size();
        out += !escaped ? bytes[i] : bytes[++i] == '1' ? '/' : '~';
    }
    return out;
}

const Json* child(const Json& parent, const std::string& step) {
    if (parent.is_object()) {
        const auto found = parent.find(step);
        return found == parent.end() ? nullptr : &*found;
    }
    size_t index = 0;
    const char* end = step.data() + step.size();
    if (!parent.is_array() || step.empty() || std::from_chars(step.data(), end, index).ptr != end ||
        index >= parent.size())
        return nullptr;
    return &parent[index];
}

}  // namespace

const Json* SchemaPart::find(std::string_view keyword) const {
    if (!schema->is_object()) return nullptr;
    const Keyword* entry = known(keyword);
    if (entry && (entry->spent_by & spent) != 0) return nullptr;
    const auto found = schema->find(keyword);
    return found == schema->end() ? nullptr : &*found;
}

SchemaPart SchemaPart::below(std::string_view keyword) const {
    return {&*schema->find(keyword), pointer + pointer_step(keyword)};
}

SchemaPart SchemaPart::below(std::string_view keyword, std::string_view key) const {
    const SchemaPart parent = below(keyword);
    return {&*parent.schema->find(key), parent.pointer + pointer_step(key)};
}

SchemaPart SchemaPart::below(std::string_view keyword, size_t index) const {
    const SchemaPart parent = below(keyword);
    return {&(*parent.schema)[index], concat(parent.pointer, "/", index)};
}

Error SchemaPart::error(Code code, std::string_view keyword, std::string_view what) const {
    return {code, concat(pointer, "/", keyword, ": ", what)};
}

Error SchemaPart::error(std::string_view keyword, Error inner) const {
    return std::move(inner).in(concat(pointer, "/", keyword));
}

Result<std::optional<uint64_t>> SchemaPart::count(std::string_view keyword) const {
    const Json* value = find(keyword);
    if (!value) return std::optional<uint64_t>();
    const bool whole =
        value->is_number_unsigned() ||
        (value->is_number_integer() && value->get<int64_t>() >= 0) ||  // made in C++
        (value->is_number_float() && value->get<double>() >= 0 && value->get<double>() < 0x1p53 &&
         value->get<double>() == static_cast<double>(value->get<uint64_t>()));
    if (!whole)
        return error(Code::invalid_argument, keyword,
                     concat("must be a whole number of at least 0; got ", dump_json(*value)));
    return std::optional(value->get<uint64_t>());
}

Result<const Json*> SchemaPart::object(std::string_view keyword) const {
    const Json* value = find(keyword);
    if (value && !value->is_object())
        return error(Code::invalid_argument, keyword, "must be an object");
    return value;
}

Result<const Json*> SchemaPart::list(std::string_view keyword) const {
    const Json* value = find(keyword);
    if (value && !value->is_array())
        return error(Code::invalid_argument, keyword, "must be an array");
    return value;
}

bool SchemaPart::is_true() const {
    if (schema->is_boolean()) return schema->get<bool>();
    return std::none_of(schema->items().begin(), schema->items().end(), [&](const auto& item) {
        const Keyword* keyword = known(item.key());
        return keyword && (keyword->spent_by & spent) == 0;
    });
}

bool SchemaPart::only_type() const {
    if (schema->is_boolean()) return schema->get<bool>();
    return std::none_of(schema->items().begin(), schema->items().end(), [&](const auto& item) {
        const Keyword* keyword = known(item.key());
        return keyword && keyword->name != "type" && (keyword->spent_by & spent) == 0;
    });
}

Result<void> SchemaPart::check() const {
    if (schema->is_boolean()) return {};
    if (!schema->is_object())
        return Error{
            Code::invalid_argument,
            concat(pointer.empty() ? "/" : pointer,
                   ": a schema must be an object, true or false; got ", schema->type_name())};
    for (std::string_view keyword : kRefused)
        if (schema->contains(keyword))
            return error(Code::unsupported, keyword, "cannot be honoured while text is generated");
    return {};
}

bool has_values(const SchemaParts& parts) {
    return std::any_of(parts.begin(), parts.end(), [](const SchemaPart& part) {
        return part.has("enum") || part.has("const");
    });
}

Result<SchemaPart> follow_reference(const Json& document, const SchemaPart& from,
                                    std::string_view reference) {
    if (!reference.starts_with('#'))
        return from.error(Code::unsupported, "$ref",
                          concat("\"", reference,
                                 "\" is outside of this schema; only references "
                                 "that begin with # are followed"));
    SchemaPart at{&document, ""};
    std::string_view left = reference.substr(1);
    while (!left.empty()) {
        const size_t end = std::min(left.find('/', 1), left.size());
        const std::string step = decoded_step(left.substr(1, end - 1));
        const Json* next = left.starts_with('/') ? child(*at.schema, step) : nullptr;
        if (!next)
            return from.error(Code::invalid_argument, "$ref",
                              concat("\"", reference, "\" points at nothing"));
        at = {next, at.pointer + pointer_step(step)};
        left.remove_prefix(end);
    }
    return at;
}

Result<void> expand(const Json& document, SchemaParts& parts) {
    const auto add = [&](SchemaPart part) {
        const bool there = std::any_of(parts.begin(), parts.end(), [&](const SchemaPart& other) {
            return other.schema == part.schema;
        });
        if (!there) parts.push_back(std::move(part));
    };
    for (size_t i = 0; i < parts.size(); ++i) {
        TRY(parts[i].check());
        const SchemaPart part = parts[i];
        if (const Json* reference = part.find("$ref")) {
            if (!reference->is_string())
                return part.error(Code::invalid_argument, "$ref", "must be a string");
            parts[i].spent |= SchemaPart::kRef;
            TRY(SchemaPart target, follow_reference(document, part, reference->get<std::string>()));
            add(std::move(target));
        }
        TRY(const Json* all, part.list("allOf"));
        if (!all) continue;
        parts[i].spent |= SchemaPart::kAllOf;
        for (size_t j = 0; j < all->size(); ++j)
            add(part.below("allOf", j));
    }
    std::erase_if(parts, [](const SchemaPart& part) { return part.is_true(); });
    return {};
}

}  // namespace brigada
