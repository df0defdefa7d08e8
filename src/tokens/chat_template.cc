#include "tokens/chat_template.h"

#include "base/concat.h"
#include "jinja/template.h"
#include "jinja/unicode.h"

namespace brigada {

namespace {

using jinja::Dict;
using jinja::Heap;
using jinja::Kind;
using jinja::Value;

constexpr std::string_view kChatml =
    "{%- for message in messages -%}\n"
    "{{- '<|im_start|>' + message.role + '\\n' }}\n"
    "{%- if message.content is string %}{{- message.content }}\n"
    "{%- elif message.content %}\n"
    "{%- for part in message.content %}{{- part.text }}{%- endfor %}\n"
    "{%- endif %}\n"
    "{{- '<|im_end|>\\n' }}\n"
    "{%- endfor %}\n"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}\n";

Error bad_input(std::string message) {
    return {Code::invalid_argument, std::move(message)};
}

// --- what a template never sees ---------------------------------------------------------------

/// Calls visit(dict) for each dict in a list; anything else is left to the template.
template <typename Visit>
void each_dict(Value list, Visit visit) {
    if (!list.is(Kind::list)) return;
    for (const Value& item : list.as_list().items)
        if (item.is(Kind::dict)) visit(item.as_dict());
}

void drop_cache_control(Dict& dict) {
    dict.erase(Value::text("cache_control"));
}

/// A member's value; undefined when it is not there.
Value member(const Dict& dict, std::string_view name) {
    const Value* found = dict.find(name);
    return found ? *found : Value();
}

/// Only where a client may put the marker: not in arguments or schemas, where it may be a name.
void drop_message_markers(Dict& message) {
    drop_cache_control(message);
    each_dict(member(message, "content"), [](Dict& part) {
        drop_cache_control(part);
        each_dict(member(part, "content"), drop_cache_control);
    });
}

void drop_tool_markers(Dict& tool) {
    drop_cache_control(tool);
    const Value function = member(tool, "function");
    if (function.is(Kind::dict)) drop_cache_control(function.as_dict());
}

// --- what a template sees as an object --------------------------------------------------------

/// The wire carries arguments as JSON text; most templates want the object. Text that is no JSON
/// object stays as it is, for the template to show or refuse.
Result<void> parse_arguments(Heap& heap, Dict& call) {
    const Value function = member(call, "function");
    Dict& holder = function.is(Kind::dict) ? function.as_dict() : call;
    const Value arguments = member(holder, "arguments");
    if (!arguments.is_text()) return {};
    if (arguments.as_text().empty()) {
        holder.set(Value::text("arguments"), Value(heap.dict()));
        return {};
    }
    Result<Json> parsed = parse_json(arguments.as_text(), "arguments");
    if (!parsed.ok() || !parsed->is_object()) return {};
    TRY(const Value object, heap.from_json(*std::move(parsed)));
    holder.set(Value::text("arguments"), object);
    return {};
}

/// gpt-oss calls reasoning `thinking`, and refuses it beside a text in a message with calls.
void name_reasoning(Dict& message) {
    const Value reasoning = member(message, "reasoning_content");
    const Value content = member(message, "content");
    const bool has_text = content.is_text() && !content.as_text().empty();
    const bool has_calls = message.find("tool_calls") != nullptr;
    if (!reasoning.is_text() || message.find("thinking") || (has_text && has_calls)) return;
    message.set(Value::text("thinking"), reasoning);
}

Result<Value> messages_for_template(Heap& heap, const Json& messages) {
    if (!messages.is_array())
        return bad_input(concat("messages must be an array, not ", messages.type_name()));
    TRY(const Value list, heap.from_json(messages));
    Result<void> parsed;
    each_dict(list, [&](Dict& message) {
        drop_message_markers(message);
        name_reasoning(message);
        each_dict(member(message, "tool_calls"), [&](Dict& call) {
            if (parsed.ok()) parsed = parse_arguments(heap, call);
        });
    });
    TRY(std::move(parsed));
    return list;
}

/// None for no tools, as transformers passes it.
Result<Value> tools_for_template(Heap& heap, const Json& tools) {
    if (tools.is_null() || (tools.is_array() && tools.empty())) return Value::none();
    if (!tools.is_array())
        return bad_input(concat("tools must be an array, not ", tools.type_name()));
    TRY(const Value list, heap.from_json(tools));
    each_dict(list, drop_tool_markers);
    return list;
}

Result<void> add_extra(Heap& heap, Dict& context, const Json& extra) {
    if (extra.is_null()) return {};
    if (!extra.is_object())
        return bad_input(concat("chat_template_kwargs must be an object, not ", extra.type_name()));
    for (auto it = extra.begin(); it != extra.end(); ++it) {
        TRY(const Value value, heap.from_json(it.value()));
        context.set(Value::text(it.key()), value);
    }
    return {};
}

// --- continue_final_message -------------------------------------------------------------------

/// The text of a message's content: of the last text part when it has parts.
Result<std::string_view> final_text(const Value& messages) {
    const auto& items = messages.as_list().items;
    if (items.empty() || !items.back().is(Kind::dict))
        return bad_input("continue_final_message needs a final message");
    const Value content = member(items.back().as_dict(), "content");
    if (content.is_text()) return content.as_text();
    std::optional<std::string_view> text;
    each_dict(content, [&](Dict& part) {
        if (const Value found = member(part, "text"); found.is_text()) text = found.as_text();
    });
    if (!text) return bad_input("continue_final_message needs text in the final message");
    return *text;
}

/// Cuts what the template writes after the final message's text, as transformers does.
Result<std::string> cut_after(std::string rendered, std::string_view text) {
    const std::string_view core = jinja::strip(text);
    const size_t at = rendered.rfind(core);
    if (at == std::string::npos)
        return bad_input(
            "continue_final_message: the final message does not appear in the rendered prompt; the "
            "template may drop or change it");
    const bool keeps_space = rendered.compare(at, text.size(), text) == 0;
    rendered.resize(at + (keeps_space ? text.size() : core.size()));
    return rendered;
}

}  // namespace

ChatTemplate::ChatTemplate(std::shared_ptr<const jinja::Template> compiled, std::string bos_token,
                           std::string eos_token)
    : template_(std::move(compiled)),
      bos_token_(std::move(bos_token)),
      eos_token_(std::move(eos_token)) {}

Result<ChatTemplate> ChatTemplate::parse(std::string source, std::string bos_token,
                                         std::string eos_token) {
    auto parsed = jinja::Template::parse(source);
    if (!parsed.ok()) return std::move(parsed).error().in("chat template");
    return ChatTemplate(std::make_shared<const jinja::Template>(*std::move(parsed)),
                        std::move(bos_token), std::move(eos_token));
}

ChatTemplate ChatTemplate::chatml() {
    return *parse(std::string(kChatml), "", "<|im_end|>");
}

Result<std::string> ChatTemplate::render(const ChatInput& input) const {
    Heap heap{jinja::Limits{}};
    Dict& context = *heap.dict();
    TRY(const Value messages, messages_for_template(heap, input.messages));
    TRY(const Value tools, tools_for_template(heap, input.tools));
    TRY(const Value documents, heap.from_json(input.documents));
    context.set(Value::text("messages"), messages);
    context.set(Value::text("tools"), tools);
    context.set(Value::text("documents"), documents);
    context.set(Value::text("add_generation_prompt"),
                Value::boolean(input.add_generation_prompt && !input.continue_final_message));
    context.set(Value::text("bos_token"), Value::text(bos_token_));
    context.set(Value::text("eos_token"), Value::text(eos_token_));
    TRY(add_extra(heap, context, input.extra));

    TRY(std::string rendered, template_->render(heap, context, {.unix_seconds = input.now_unix}));
    if (!input.continue_final_message) return rendered;
    TRY(const std::string_view text, final_text(messages));
    return cut_after(std::move(rendered), text);
}

}  // namespace brigada
