#include "gateway/openapi/document.h"

#include <algorithm>
#include <cctype>

#include "base/check.h"
#include "base/concat.h"
#include "gateway/openapi/schemas.h"

namespace brigada {

namespace {

constexpr std::string_view kAbout =
    "The front door of brigada: calls to models in OpenAI's and Anthropic's dialects, management "
    "in LiteLLM's shape, and what was spent. A path of a call to a model works without /v1, too, "
    "and /customer/ is also called /end_user/. A field of a body that has no effect is named in "
    "`warnings` of the answer; null clears a field.";

Json reference(std::string_view schema) {
    CHECK(find_schema(schema) != nullptr, std::string(schema));
    return {{"$ref", concat("#/components/schemas/", schema)}};
}

/// `type` or null, unless it must be there.
Json of_type(std::string_view type, bool required, Json more = Json::object()) {
    Json out = Json::object();
    out["type"] = required ? Json(type) : Json::array({type, "null"});
    out.update(more);
    return out;
}

Json words_of(std::string_view words, bool required) {
    Json list = Json::array();
    while (!words.empty()) {
        const std::string_view word = words.substr(0, words.find('|'));
        words.remove_prefix(std::min(words.size(), word.size() + 1));
        list.push_back(word);
    }
    if (!required) list.push_back(nullptr);
    return {{"enum", std::move(list)}};
}

Json text_schema(const FieldDoc& field) {
    if (field.of.empty()) return of_type("string", field.required);
    return words_of(field.of, field.required);
}

Json list_of(Json items, bool required) {
    return of_type("array", required, {{"items", std::move(items)}});
}

Json map_of(Json values, bool required) {
    return of_type("object", required, {{"additionalProperties", std::move(values)}});
}

Json type_schema(const FieldDoc& field) {
    const bool required = field.required;
    switch (field.type) {
        case FieldType::text:
            return text_schema(field);
        case FieldType::flag:
            return of_type("boolean", required);
        case FieldType::whole:
            return of_type("integer", required, {{"minimum", 0}, {"maximum", int64_t{1} << 53}});
        case FieldType::page:
            return of_type("integer", required, {{"minimum", 1}, {"maximum", 1'000}});
        case FieldType::money:
            return of_type("number", required, {{"minimum", 0}, {"maximum", 9'000'000'000}});
        case FieldType::time:
            return of_type("string", required, {{"format", "date-time"}});
        case FieldType::day:
            return of_type("string", required, {{"format", "date"}});
        case FieldType::moment:
            return of_type("string", required,
                           {{"anyOf", {{{"format", "date"}}, {{"format", "date-time"}}}}});
        case FieldType::duration:
            return of_type("string", required, {{"pattern", "^[1-9][0-9]{0,3}(s|m|h|d|w|mo)$"}});
        case FieldType::texts:
            return list_of({{"type", "string"}}, required);
        case FieldType::text_map:
            return map_of({{"type", "string"}}, required);
        case FieldType::whole_map:
            return map_of({{"type", "integer"}, {"minimum", 0}, {"maximum", int64_t{1} << 53}},
                          required);
        case FieldType::object:
            return of_type("object", required);
        case FieldType::objects:
            return list_of({{"type", "object"}}, required);
        case FieldType::any:
            return Json::object();
        case FieldType::refs:
            return list_of(reference(field.of), required);
        case FieldType::ref:
            break;
    }
    if (required) return reference(field.of);
    return {{"anyOf", Json::array({reference(field.of), {{"type", "null"}}})}};
}

Json field_schema(const FieldDoc& field) {
    Json out = type_schema(field);
    if (!field.about.empty()) out["description"] = field.about;
    return out;
}

Json own_schema(const SchemaDoc& schema) {
    Json out = {{"type", "object"}};
    Json required = Json::array();
    for (const FieldDoc& field : schema.fields) {
        out["properties"][std::string(field.name)] = field_schema(field);
        if (field.required) required.push_back(field.name);
    }
    if (!required.empty()) out["required"] = std::move(required);
    return out;
}

Json component(const SchemaDoc& schema) {
    Json out =
        schema.is_list ? list_of(field_schema(schema.fields.front()), true) : own_schema(schema);
    if (!schema.bases.empty()) {
        Json parts = Json::array();
        for (std::string_view rest = schema.bases; !rest.empty();) {
            const std::string_view base = rest.substr(0, rest.find(' '));
            rest.remove_prefix(std::min(rest.size(), base.size() + 1));
            parts.push_back(reference(base));
        }
        parts.push_back(std::move(out));
        out = {{"allOf", std::move(parts)}};
    }
    if (!schema.about.empty()) out["description"] = schema.about;
    return out;
}

Json components() {
    Json schemas = Json::object();
    for (const SchemaDoc& schema : schema_docs())
        schemas[std::string(schema.name)] = component(schema);
    return {{"schemas", std::move(schemas)},
            {"securitySchemes", {{"key", {{"type", "http"}, {"scheme", "bearer"}}}}}};
}

Json path_parameter(std::string_view name) {
    return {{"name", name},
            {"in", "path"},
            {"required", true},
            {"schema", {{"type", "string"}, {"minLength", 1}}}};
}

Json query_parameter(const FieldDoc& field) {
    FieldDoc plain = field;
    plain.required = true;  // a query knows no null
    plain.about = {};
    return {{"name", field.name},
            {"in", "query"},
            {"required", field.required},
            {"description", field.about},
            {"schema", field_schema(plain)}};
}

Json parameters(const DocumentedRoute& route) {
    Json out = Json::array();
    const size_t open = route.path.find('{');
    if (open != route.path.npos)
        out.push_back(path_parameter(
            std::string_view(route.path).substr(open + 1, route.path.find('}') - open - 1)));
    for (const FieldDoc& field : route.doc->query)
        out.push_back(query_parameter(field));
    return out;
}

Json content(Json schema) {
    return {{"application/json", {{"schema", std::move(schema)}}}};
}

Json good_answer(const RouteDoc& doc) {
    Json out = {{"description", "done"}};
    out["content"] = doc.kind == AnswerKind::text
                         ? Json{{"text/plain", {{"schema", {{"type", "string"}}}}}}
                         : content(doc.answer.empty() ? Json::object() : reference(doc.answer));
    return out;
}

/// "postKeyKeyRegenerate": one for each route.
std::string operation_id(const DocumentedRoute& route) {
    std::string out;
    bool begins_word = false;
    for (const char c : concat(route.method, route.path)) {
        const auto letter = static_cast<unsigned char>(c);
        if (std::isalnum(letter))
            out += static_cast<char>(begins_word ? std::toupper(letter) : letter);
        begins_word = !std::isalnum(letter);
    }
    for (char& c : std::span(out).first(route.method.size()))
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// "key" of "/key/generate", "v1" of "/v1/models".
std::string tag_of(const std::string& path) {
    const std::string first = path.substr(1, path.find('/', 1) - 1);
    return first.empty() ? "door" : first;
}

Json operation(const DocumentedRoute& route) {
    const RouteDoc& doc = *route.doc;
    Json out = {{"operationId", operation_id(route)},
                {"summary", doc.about},
                {"tags", Json::array({tag_of(route.path)})}};
    if (Json all = parameters(route); !all.empty()) out["parameters"] = std::move(all);
    if (!doc.body.empty())
        out["requestBody"] = {{"required", true}, {"content", content(reference(doc.body))}};
    out["responses"] = {
        {"200", good_answer(doc)},
        {"default", {{"description", "not done"}, {"content", content(reference("Failure"))}}}};
    if (doc.is_public) out["security"] = Json::array();
    return out;
}

std::string lower(std::string_view method) {
    std::string out(method);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

}  // namespace

Json openapi_document(std::span<const DocumentedRoute> routes) {
    Json paths = Json::object();
    for (const DocumentedRoute& route : routes)
        paths[route.path][lower(route.method)] = operation(route);
    return {{"openapi", "3.1.0"},
            {"info", {{"title", "brigada gateway"}, {"version", "1"}, {"description", kAbout}}},
            {"security", Json::array({{{"key", Json::array()}}})},
            {"paths", std::move(paths)},
            {"components", components()}};
}

}  // namespace brigada
