#include "gateway/count/turn_shape.h"

#include <string_view>
#include <utility>

namespace brigada {

namespace {

constexpr const char* kWord = "x";

bool is_role(const Json& message, std::string_view role) {
    return message["role"].get_ref<const std::string&>() == role;
}

bool is_of_a_round(const Json& message) {
    return is_role(message, "assistant") || is_role(message, "user") || is_role(message, "tool");
}

/// A text that is as empty as `text`.
Json word_for(const Json& text) {
    const bool says_something = text.is_string() && !text.get_ref<const std::string&>().empty();
    return says_something ? Json(kWord) : text;
}

Json shape_of_calls(const Json& calls) {
    Json out = calls;
    for (Json& call : out)
        if (call.is_object() && call.contains("function") && call["function"].is_object())
            call["function"]["arguments"] = Json::object();
    return out;
}

Json shape_of_message(const Json& message) {
    Json out = Json::object();
    for (const auto& [name, value] : message.items()) {
        if (name == "content" || name == "reasoning_content")
            out[name] = word_for(value);
        else
            out[name] = name == "tool_calls" ? shape_of_calls(value) : value;
    }
    return out;
}

Json said(const char* role) {
    return {{"role", role}, {"content", kWord}};
}

/// Where the last round begins: an assistant's message behind somebody else's; size() for nowhere.
size_t last_round(const Json& messages) {
    for (size_t i = messages.size(); i-- > 0;)
        if (is_role(messages[i], "assistant") && (i == 0 || !is_role(messages[i - 1], "assistant")))
            return i;
    return messages.size();
}

void append_shape(const Json& messages, size_t from, Json& out) {
    for (size_t i = from; i < messages.size(); ++i)
        out.push_back(shape_of_message(messages[i]));
}

}  // namespace

bool ends_with_user(const Json& messages) {
    return !messages.empty() && is_role(messages.back(), "user");
}

bool ends_turn(const Json& messages) {
    for (const Json& message : messages)
        if (is_role(message, "user") ||
            (is_role(message, "assistant") && !message.contains("tool_calls")))
            return true;
    return false;
}

bool continues(const Json& more) {
    if (more.empty() || !is_role(more.front(), "assistant") || is_role(more.back(), "assistant"))
        return false;
    for (const Json& message : more)
        if (!is_of_a_round(message)) return false;
    return true;
}

std::optional<Json> shape_of(const Json& messages) {
    if (messages.empty() || is_role(messages.back(), "assistant")) return std::nullopt;
    const bool has_system = is_role(messages.front(), "system");
    for (size_t i = has_system ? 1 : 0; i < messages.size(); ++i)
        if (!is_of_a_round(messages[i])) return std::nullopt;
    const size_t first = has_system ? 1 : 0;
    if (first == messages.size() || !is_role(messages[first], "user")) return std::nullopt;
    Json out = Json::array();
    if (has_system) out.push_back(said("system"));
    out.push_back(said("user"));
    append_shape(messages, last_round(messages), out);
    return out;
}

Json shape_after(const Json& shape, const Json& more) {
    Json out = Json::array();
    if (is_role(shape.front(), "system")) out.push_back(said("system"));
    out.push_back(said("user"));
    append_shape(more, last_round(more), out);
    return out;
}

Json shape_of_tools(bool has_tools) {
    if (!has_tools) return nullptr;
    const Json parameters = {{"type", "object"},
                             {"properties", {{"a", {{"type", "string"}, {"description", kWord}}}}},
                             {"required", {"a"}}};
    const Json function = {{"name", "f"}, {"description", kWord}, {"parameters", parameters}};
    return Json::array({{{"type", "function"}, {"function", function}}});
}

}  // namespace brigada
