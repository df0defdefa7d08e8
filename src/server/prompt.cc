#include "server/prompt.h"

#include <ctime>
#include <utility>

namespace brigada {

namespace {

/// The headers in which agents name their session, first match first.
constexpr std::string_view kSessionHeaders[] = {"x-session-id", "x-claude-code-session-id",
                                                "session-id", "x-session-affinity"};

std::string session_of(const GenerationOptions& options, const HttpRequest& http) {
    if (!options.session.empty()) return options.session;
    for (std::string_view name : kSessionHeaders)
        if (auto value = http.headers.get(name); value && !value->empty())
            return std::string(*value);
    return "";
}

/// A message to go on with may be within its reasoning, whatever the template wrote around it.
bool opens_reasoning(const AnswerFormat& answers, const ChatRequest& request,
                     std::string_view prompt) {
    if (!request.continue_final_message) return answers.opens_reasoning(prompt);
    const Json& content = request.messages.back()["content"];
    return content.is_string() && answers.is_within_reasoning(content.get<std::string>());
}

struct CalledTool {
    std::string name;
    Json parameters;
    bool is_strict = false;
};

const Json* member(const Json& object, std::string_view name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

/// nullopt for what has no name: nobody can call it.
std::optional<CalledTool> called_tool(const Json& tool) {
    const Json* inner = member(tool, "function");
    const Json& function = inner ? *inner : tool;
    const Json* name = member(function, "name");
    if (!name || !name->is_string()) return std::nullopt;
    const Json* parameters = member(function, "parameters");
    const Json* strict = member(function, "strict");
    return CalledTool{.name = name->get<std::string>(),
                      .parameters = parameters ? *parameters : Json(),
                      .is_strict = strict && *strict == true};
}

/// Those that may be called.
struct CalledTools {
    Json list = Json::array();  // as read_tool_calls() reads them
    bool has_strict = false;
};

CalledTools called_tools(const ChatRequest& request) {
    CalledTools out;
    const bool is_forced = request.forced_tool.has_value();
    for (const Json& tool : request.tools) {
        const std::optional<CalledTool> called = called_tool(tool);
        if (!called) continue;
        if (is_forced && !request.forced_tool->empty() && called->name != *request.forced_tool)
            continue;
        out.has_strict = out.has_strict || called->is_strict;
        out.list.push_back({{"name", called->name},
                            {"parameters", called->parameters},
                            {"strict", called->is_strict || is_forced}});
    }
    return out;
}

/// Whether an answer has more than its text.
bool has_parts(const AnswerFormat& answers, const CalledTools& tools) {
    return answers.is_harmony() || answers.reasoning->has_markers() ||
           (answers.tools && !tools.list.empty());
}

}  // namespace

Result<ChatPrompt> chat_prompt(const LoadedModel& model, const ChatRequest& request) {
    TRY(std::string text,
        model.chat_template.render({.messages = request.messages,
                                    .tools = request.tools,
                                    .documents = nullptr,
                                    .add_generation_prompt = request.add_generation_prompt,
                                    .continue_final_message = request.continue_final_message,
                                    .extra = request.template_arguments,
                                    .now_unix = std::time(nullptr)}));
    return ChatPrompt{.tokens = model.tokenizer().encode(text, Specials::recognise),
                      .opens_reasoning = opens_reasoning(model.answers, request, text)};
}

Tokens shown_controls(const LoadedModel& model, const ChatRequest& request) {
    Tokens out;
    for (const std::string_view control : model.answers.controls(!request.tools.is_null()))
        if (const auto id = model.tokenizer().find(control);
            id && model.tokenizer().is_special(*id))
            out.push_back(*id);
    return out;
}

Result<std::optional<GrammarSpec>> answer_grammar(const LoadedModel& model,
                                                  const ChatRequest& request,
                                                  const ChatPrompt& prompt) {
    const bool is_forced = request.forced_tool.has_value();
    const CalledTools tools = called_tools(request);
    const ToolFormat* format = model.answers.tools;
    if (is_forced && !format)
        return Error{Code::unsupported,
                     "tool_choice: this model can't be made to call a tool: its way of calling is "
                     "not known; \"auto\" leaves it the choice"};
    const bool has_form = !is_forced && request.options.format;
    if (!is_forced && !has_form && (!tools.has_strict || !format))
        return std::optional<GrammarSpec>();
    const bool is_named = is_forced && !request.forced_tool->empty();
    std::string answer = dump_json({{"format", format ? Json(format->name) : Json()},
                                    {"tools", tools.list},
                                    {"forced", is_forced},
                                    {"many", request.parallel_tool_calls && !is_named},
                                    {"reasoning", model.answers.reasoning->name},
                                    {"begins", prompt.opens_reasoning           ? "reasoning"
                                               : request.continue_final_message ? "text"
                                                                                : "start"}});
    if (!has_form)
        return std::optional(GrammarSpec{.kind = GrammarSpec::Kind::tool_calls,
                                         .text = std::move(answer),
                                         .field = is_forced ? "tool_choice" : "strict"});
    std::optional<GrammarSpec> form = request.options.format;
    if (has_parts(model.answers, tools)) form->calls = std::move(answer);
    return form;
}

Result<Tokens> completion_prompt(const LoadedModel& model, const CompletionPrompt& prompt) {
    if (const auto* ids = std::get_if<Tokens>(&prompt)) return *ids;
    const Tokenizer& tokenizer = model.tokenizer();
    Tokens out;
    if (tokenizer.add_bos() && tokenizer.bos()) out.push_back(*tokenizer.bos());
    tokenizer.append_encoded(std::get<std::string>(prompt), Specials::recognise, out);
    if (out.empty())
        return Error{Code::invalid_argument,
                     "prompt: must not be empty: this model's tokenizer "
                     "adds no token of its own"};
    return out;
}

EngineRequest engine_request(Tokens prompt, const GenerationOptions& options,
                             LogprobRequest logprobs, std::optional<uint32_t> max_tokens,
                             const HttpRequest& http) {
    EngineRequest out;
    out.prompt = std::move(prompt);
    out.sampling = options.sampling;
    out.stop = options.stop;
    out.stop.max_tokens = max_tokens.value_or(0);
    out.logprobs = logprobs;
    out.choices = options.choices;
    out.priority = options.priority;
    out.tenant = options.user;
    out.cache_salt = options.cache_salt;
    out.session = session_of(options, http);
    out.received = Clock().now();
    return out;
}

}  // namespace brigada
