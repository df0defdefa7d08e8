#include "api/chat_request.h"

#include <array>
#include <utility>

namespace brigada {

namespace {

namespace dom = simdjson::dom;

/// The text of a content part. Vision and audio need a model that has them.
Result<std::string> read_part(const JsonFields& part) {
    TRY(auto type, part.text("type"));
    if (!type) return Error{Code::invalid_argument, concat(part.path_of("type"), ": is missing")};
    if (*type != "text" && *type != "input_text" && *type != "refusal")
        return Error{Code::unsupported, concat(part.path_of("type"), ": \"", *type,
                                               "\" parts are not understood by this model; "
                                               "it reads \"text\"")};
    const std::string_view field = *type == "refusal" ? "refusal" : "text";
    TRY(auto text, part.text(field));
    if (!text) return Error{Code::invalid_argument, concat(part.path_of(field), ": is missing")};
    return *std::move(text);
}

/// A content given as parts, as the one string that templates of text models expect.
Result<std::string> join_parts(dom::array parts, const std::string& path) {
    std::string out;
    size_t i = 0;
    for (dom::element element : parts) {
        const std::string part_path = concat(path, "[", i++, "]");
        dom::object object;
        if (element.get(object) != simdjson::SUCCESS)
            return Error{Code::invalid_argument,
                         concat(part_path, ": must be an object; got ", excerpt(element))};
        TRY(std::string text, read_part(JsonFields(object, part_path + ".")));
        if (i > 1) out += '\n';
        out += text;
    }
    return out;
}

/// content: a string, parts, or null where an assistant only called tools. That is an empty text
/// to the template: some look into it without asking whether it is one.
Result<Json> read_content(const JsonFields& message, bool may_be_absent) {
    const auto content = message.find("content");
    if (!content) {
        if (may_be_absent) return Json("");
        return Error{Code::invalid_argument, concat(message.path_of("content"), ": is missing")};
    }
    std::string_view text;
    if (content->get(text) == simdjson::SUCCESS) return Json(std::string(text));
    dom::array parts;
    if (content->get(parts) == simdjson::SUCCESS) {
        TRY(std::string joined, join_parts(parts, message.path_of("content")));
        return Json(std::move(joined));
    }
    return message.wrong("content", "a string or an array of parts", *content);
}

Result<void> check_role(const JsonFields& message, std::string_view role) {
    constexpr std::array<std::string_view, 6> kRoles = {"system",    "developer", "user",
                                                        "assistant", "tool",      "function"};
    for (std::string_view known : kRoles)
        if (role == known) return {};
    return Error{Code::invalid_argument,
                 concat(message.path_of("role"), ": must be system, developer, user, assistant or ",
                        "tool; got \"", role, "\"")};
}

/// tool_calls as the template reads them; each needs a function with a name.
Result<std::optional<Json>> read_tool_calls(const JsonFields& message) {
    TRY(auto calls, message.array("tool_calls"));
    if (!calls || calls->size() == 0) return std::optional<Json>();
    Json out = Json::array();
    size_t i = 0;
    for (dom::element element : *calls) {
        const std::string path = message.path_of(concat("tool_calls[", i++, "]"));
        Json call = to_json(element);
        if (!call.is_object() || !call.contains("function") || !call["function"].is_object() ||
            !call["function"].value("name", Json()).is_string())
            return Error{Code::invalid_argument,
                         concat(path, ": must be {\"function\": {\"name\": ..., \"arguments\": ",
                                "...}}; got ", excerpt(element))};
        out.push_back(std::move(call));
    }
    return std::optional(std::move(out));
}

Result<Json> read_message(const JsonFields& message) {
    TRY(auto role, message.text("role"));
    if (!role)
        return Error{Code::invalid_argument, concat(message.path_of("role"), ": is missing")};
    TRY(check_role(message, *role));
    TRY(auto calls, read_tool_calls(message));
    TRY(Json content, read_content(message, *role == "assistant"));
    // No template knows OpenAI's newer name for the same role.
    Json out = {{"role", *role == "developer" ? "system" : *role}, {"content", std::move(content)}};
    if (calls) out["tool_calls"] = *std::move(calls);
    for (std::string_view name : {"name", "tool_call_id", "reasoning_content"}) {
        TRY(auto value, message.text(name));
        if (value) out[std::string(name)] = *std::move(value);
    }
    return out;
}

Result<Json> read_messages(const JsonFields& fields) {
    TRY(auto messages, fields.array("messages"));
    if (!messages || messages->size() == 0)
        return Error{Code::invalid_argument, "messages: must be an array of at least one message"};
    Json out = Json::array();
    size_t i = 0;
    for (dom::element element : *messages) {
        const std::string path = concat("messages[", i++, "]");
        dom::object object;
        if (element.get(object) != simdjson::SUCCESS)
            return Error{Code::invalid_argument,
                         concat(path, ": must be an object; got ", excerpt(element))};
        TRY(Json message, read_message(JsonFields(object, path + ".")));
        out.push_back(std::move(message));
    }
    return out;
}

enum class ToolUse { free, none, forced };

struct ToolChoiceField {
    ToolUse use = ToolUse::free;
    std::string name{};  // of the one tool that must be called; "": any
};

/// "auto", "none", "required", or {"type": "function", "function": {"name"}}.
Result<ToolChoiceField> read_tool_choice(const JsonFields& fields) {
    const auto choice = fields.find("tool_choice");
    if (!choice) return ToolChoiceField{};
    std::string_view word;
    if (choice->get(word) == simdjson::SUCCESS) {
        if (word == "auto") return ToolChoiceField{};
        if (word == "none") return ToolChoiceField{.use = ToolUse::none};
        if (word == "required") return ToolChoiceField{.use = ToolUse::forced};
    }
    if (choice->at_pointer("/function/name").get(word) == simdjson::SUCCESS && !word.empty())
        return ToolChoiceField{.use = ToolUse::forced, .name = std::string(word)};
    return Error{Code::invalid_argument,
                 concat("tool_choice: must be \"auto\", \"none\", \"required\" or name a "
                        "function; got ",
                        excerpt(*choice))};
}

std::string_view name_of(const Json& tool) {
    const auto function = tool.find("function");
    if (function == tool.end() || !function->is_object()) return {};
    const auto name = function->find("name");
    if (name == function->end() || !name->is_string()) return {};
    return name->get_ref<const std::string&>();
}

Result<void> check_forced_tool(const ChatRequest& request) {
    if (!request.forced_tool) return {};
    if (request.tools.is_null())
        return Error{Code::invalid_argument, "tool_choice: forces a tool, but there are no tools"};
    if (request.forced_tool->empty()) return {};
    for (const Json& tool : request.tools)
        if (name_of(tool) == *request.forced_tool) return {};
    return Error{Code::invalid_argument,
                 concat("tool_choice: '", *request.forced_tool, "' is none of the tools")};
}

/// What providers run themselves nobody runs here.
Result<void> check_tool(const JsonFields& tool) {
    TRY(const auto type, tool.text("type"));
    if (!type || *type == "function") return {};
    return Error{Code::unsupported,
                 concat(tool.path_of("type"), ": \"", *type,
                        "\" tools are run by a provider; this server has \"function\"")};
}

/// Tools go into the prompt as they are.
Result<Json> read_tools(const JsonFields& fields, ToolUse use) {
    TRY(auto tools, fields.array("tools"));
    if (!tools || tools->size() == 0 || use == ToolUse::none) return Json(nullptr);
    Json out = Json::array();
    size_t i = 0;
    for (dom::element element : *tools) {
        const std::string path = concat("tools[", i++, "]");
        dom::object object;
        if (element.get(object) != simdjson::SUCCESS)
            return Error{Code::invalid_argument,
                         concat(path, ": must be an object; got ", excerpt(element))};
        TRY(check_tool(JsonFields(object, path + ".")));
        out.push_back(to_json(element));
    }
    return out;
}

/// Answers are text: who wants to hear or to look things up is told so.
Result<void> check_answer_kind(const JsonFields& fields) {
    TRY(const auto modalities, fields.array("modalities"));
    if (modalities)
        for (const dom::element wanted : *modalities)
            if (std::string_view word; wanted.get(word) != simdjson::SUCCESS || word != "text")
                return Error{Code::unsupported,
                             concat("modalities: this model answers in \"text\"; "
                                    "got ",
                                    excerpt(wanted))};
    for (const std::string_view name : {"audio", "web_search_options"})
        if (fields.find(name))
            return Error{Code::unsupported,
                         concat(name, ": this model answers in text, from what it is told")};
    return {};
}

Result<LogprobRequest> read_logprobs(const JsonFields& fields) {
    TRY(auto wanted, fields.boolean("logprobs"));
    TRY(auto top, fields.integer("top_logprobs", 0, kMaxTopLogprobs));
    if (top && *top > 0 && !wanted.value_or(false))
        return Error{Code::invalid_argument, "top_logprobs: needs \"logprobs\": true beside it"};
    return LogprobRequest{wanted.value_or(false), static_cast<uint32_t>(top.value_or(0))};
}

Result<void> read_template_fields(const JsonFields& fields, ChatRequest& out) {
    TRY(auto arguments, fields.object("chat_template_kwargs"));
    if (arguments) out.template_arguments = to_json(*fields.find("chat_template_kwargs"));
    TRY(auto add, fields.boolean("add_generation_prompt"));
    out.add_generation_prompt = add.value_or(true);
    TRY(auto go_on, fields.boolean("continue_final_message"));
    out.continue_final_message = go_on.value_or(false);
    if (out.continue_final_message && add.value_or(false))
        return Error{Code::invalid_argument,
                     "continue_final_message: cannot be true together with add_generation_prompt"};
    return {};
}

}  // namespace

Result<ChatRequest> read_chat_request(std::string_view body, const SamplingDefaults& defaults,
                                      const GenerationLimits& limits) {
    dom::parser parser;
    TRY(dom::object object, parse_body(parser, body));
    return read_chat_request(JsonFields(object), defaults, limits);
}

Result<ChatRequest> read_chat_request(const JsonFields& fields, const SamplingDefaults& defaults,
                                      const GenerationLimits& limits) {
    ChatRequest out;
    TRY(auto model, fields.text("model"));
    out.model = std::move(model).value_or("");
    TRY(out.messages, read_messages(fields));
    TRY(ToolChoiceField choice, read_tool_choice(fields));
    TRY(out.tools, read_tools(fields, choice.use));
    if (choice.use == ToolUse::forced) out.forced_tool = std::move(choice.name);
    TRY(auto parallel, fields.boolean("parallel_tool_calls"));
    out.parallel_tool_calls = parallel.value_or(true);
    TRY(auto reasoning, fields.boolean("include_reasoning"));
    out.include_reasoning = reasoning.value_or(true);
    TRY(read_template_fields(fields, out));
    TRY(out.logprobs, read_logprobs(fields));
    TRY(check_answer_kind(fields));
    TRY(out.options, read_generation_options(fields, defaults, limits));
    TRY(check_forced_tool(out));
    TRY(out.max_tokens, read_max_tokens(fields, "max_completion_tokens"));
    if (!out.max_tokens) {
        TRY(out.max_tokens, read_max_tokens(fields, "max_tokens"));
    }
    return out;
}

}  // namespace brigada
