// A JSON Schema validator for tests: one function a keyword, straight from the specification, of
// values that are parsed already. It knows nothing of grammars, and is itself held against what
// another program said of the same values.
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/json.h"
#include "tokens/unicode.h"

namespace brigada {

class NaiveValidator {
  public:
    explicit NaiveValidator(const Json& root) : root_(root) {}

    bool valid(const Json& value) const { return valid(value, root_); }

  private:
    bool valid(const Json& value, const Json& schema) const {
        if (schema.is_boolean()) return schema.get<bool>();
        return values(value, schema) && combined(value, schema) && typed(value, schema) &&
               number(value, schema) && text(value, schema) && array(value, schema) &&
               object(value, schema);
    }

    static bool values(const Json& value, const Json& schema) {
        if (schema.contains("const") && !(same(value, schema["const"]))) return false;
        if (!schema.contains("enum")) return true;
        return std::any_of(schema["enum"].begin(), schema["enum"].end(),
                           [&](const Json& one) { return same(value, one); });
    }
    static bool same(const Json& a, const Json& b) {
        return nlohmann::json(a) == nlohmann::json(b);
    }

    bool combined(const Json& value, const Json& schema) const {
        const auto count = [&](const char* keyword) {
            return std::count_if(schema[keyword].begin(), schema[keyword].end(),
                                 [&](const Json& branch) { return valid(value, branch); });
        };
        if (schema.contains("$ref")) {
            const std::string pointer = schema["$ref"].get<std::string>().substr(1);
            if (!valid(value, root_.at(Json::json_pointer(pointer)))) return false;
        }
        if (schema.contains("allOf") &&
            count("allOf") != static_cast<ptrdiff_t>(schema["allOf"].size()))
            return false;
        if (schema.contains("anyOf") && count("anyOf") == 0) return false;
        return !schema.contains("oneOf") || count("oneOf") == 1;
    }

    static bool typed(const Json& value, const Json& schema) {
        if (!schema.contains("type")) return true;
        const auto is = [&](const std::string& name) {
            if (name == "integer")
                return value.is_number() && value.get<double>() == std::floor(value.get<double>());
            return name == value.type_name();
        };
        if (schema["type"].is_string()) return is(schema["type"]);
        return std::any_of(schema["type"].begin(), schema["type"].end(), is);
    }

    static bool number(const Json& value, const Json& schema) {
        if (!value.is_number()) return true;
        const double x = value.get<double>();
        const auto limit = [&](const char* keyword, double otherwise) {
            return schema.value(keyword, otherwise);
        };
        const double endless = std::numeric_limits<double>::infinity();
        const bool multiple = !schema.contains("multipleOf") ||
                              std::remainder(x, schema["multipleOf"].get<double>()) == 0;
        return x >= limit("minimum", -endless) && x <= limit("maximum", endless) &&
               x > limit("exclusiveMinimum", -endless) && x < limit("exclusiveMaximum", endless) &&
               multiple;
    }

    static bool text(const Json& value, const Json& schema) {
        if (!value.is_string()) return true;
        const auto& string = value.get_ref<const std::string&>();
        size_t characters = 0;
        for (size_t at = 0; at < string.size(); ++characters)
            at += char_at(string, at).bytes;
        if (characters < schema.value("minLength", size_t{0})) return false;
        if (characters > schema.value("maxLength", SIZE_MAX)) return false;
        return !schema.contains("pattern") || found(schema["pattern"], string);
    }

    static bool found(const std::string& pattern, const std::string& text) {
        int code = 0;
        size_t offset = 0;
        pcre2_code* compiled =
            pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                          PCRE2_UTF | PCRE2_DOLLAR_ENDONLY, &code, &offset, nullptr);
        CHECK(compiled, pattern);
        pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
        const int matches = pcre2_match(compiled, reinterpret_cast<PCRE2_SPTR>(text.data()),
                                        text.size(), 0, 0, data, nullptr);
        pcre2_match_data_free(data);
        pcre2_code_free(compiled);
        return matches >= 0;
    }

    bool array(const Json& value, const Json& schema) const {
        if (!value.is_array()) return true;
        if (value.size() < schema.value("minItems", size_t{0})) return false;
        if (value.size() > schema.value("maxItems", SIZE_MAX)) return false;
        const size_t prefix = schema.contains("prefixItems") ? schema["prefixItems"].size() : 0;
        for (size_t i = 0; i < value.size(); ++i) {
            if (i < prefix ? !valid(value[i], schema["prefixItems"][i])
                           : schema.contains("items") && !valid(value[i], schema["items"]))
                return false;
        }
        return true;
    }

    bool object(const Json& value, const Json& schema) const {
        if (!value.is_object()) return true;
        if (value.size() < schema.value("minProperties", size_t{0})) return false;
        if (value.size() > schema.value("maxProperties", SIZE_MAX)) return false;
        for (const Json& name : schema.value("required", Json::array()))
            if (!value.contains(name.get<std::string>())) return false;
        for (const auto& [key, member] : value.items())
            if (!property(key, member, schema)) return false;
        return true;
    }

    bool property(const std::string& key, const Json& member, const Json& schema) const {
        bool known = false;
        if (schema.contains("properties") && schema["properties"].contains(key)) {
            known = true;
            if (!valid(member, schema["properties"][key])) return false;
        }
        for (const auto& [pattern, inner] :
             schema.value("patternProperties", Json::object()).items()) {
            if (!found(pattern, key)) continue;
            known = true;
            if (!valid(member, inner)) return false;
        }
        if (schema.contains("propertyNames") && !valid(Json(key), schema["propertyNames"]))
            return false;
        return known || !schema.contains("additionalProperties") ||
               valid(member, schema["additionalProperties"]);
    }

    const Json& root_;
};

}  // namespace brigada
