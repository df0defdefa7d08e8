#include "grammar/tool_call_grammar.h"

#include <string>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "grammar/json_schema.h"

namespace brigada {

namespace {

Result<Expr> arguments_of(JsonText& json, const Json& tool) {
    const auto schema = tool.find("parameters");
    if (schema == tool.end() || schema->is_null()) return json.any_object();
    auto read = read_json_schema(json, *schema);
    if (read.ok()) return read;
    return std::move(read).error().in(
        concat("tools '", tool["name"].get_ref<const std::string&>(), "' parameters"));
}

}  // namespace

Result<Expr> read_tool_calls(JsonText& json, GrammarBuilder& builder, const Json& calls) {
    const auto literal = [&](const std::string& text) { return builder.literal(text); };
    const std::string begin = calls["begin"], middle = calls["before_arguments"];
    std::vector<Expr> each;
    for (const Json& tool : calls["tools"]) {
        TRY(const Expr arguments, arguments_of(json, tool));
        const std::string name = tool["name"];
        each.push_back(
            builder.sequence({literal(begin + name + middle), arguments, literal(calls["end"])}));
    }
    return builder.either(std::move(each));
}

}  // namespace brigada
