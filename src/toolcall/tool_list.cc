#include "toolcall/tool_list.h"

#include "toolcall/schema_types.h"
#include "toolcall/unread.h"

namespace brigada {

namespace {

const Json* member(const Json& object, std::string_view name) {
    if (!object.is_object()) return nullptr;
    const auto it = object.find(name);
    return it == object.end() ? nullptr : &*it;
}

/// How Python, which models are fond of, spells JSON's words.
std::string_view json_word(std::string_view text) {
    if (text == "True") return "true";
    if (text == "False") return "false";
    if (text == "None") return "null";
    return text;
}

std::string as_string(std::string_view text) {
    return dump_json(Json(std::string(text)));
}

}  // namespace

ToolList::ToolList(const Json& tools) {
    if (!tools.is_array()) return;
    for (const Json& tool : tools) {
        const Json* function = member(tool, "function");
        const Json* name = member(function ? *function : tool, "name");
        const Json* parameters = member(function ? *function : tool, "parameters");
        if (name && name->is_string())
            tools_.push_back({name->get<std::string>(), parameters ? *parameters : Json()});
    }
}

std::string ToolList::value_as_json(std::string_view tool, std::string_view parameter,
                                    std::string_view text) const {
    const Tool* found = find(tool);
    const SchemaTypes types =
        found ? parameter_types(found->parameters, parameter) : SchemaTypes::any();
    if (types.only_string()) return as_string(text);
    size_t skipped = text.find_first_not_of(kWhiteSpace);
    if (skipped == text.npos) skipped = 0;
    const std::string_view bare = json_word(without_space_at_end(text.substr(skipped)));
    const Result<Json> value = parse_json(bare, parameter);
    if (!value.ok() || value->is_string() || !types.allow(*value)) return as_string(text);
    return std::string(bare);
}

const ToolList::Tool* ToolList::find(std::string_view name) const {
    for (const Tool& tool : tools_)
        if (tool.name == name) return &tool;
    return nullptr;
}

}  // namespace brigada
