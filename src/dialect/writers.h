// What the writers of the three dialects have in common: the names of what is dropped, texts put
// together, addresses of images, and fields of one meaning.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/conversation.h"
#include "dialect/json_out.h"
#include "dialect/write_conversation.h"

namespace brigada {

/// A request on its way out. The writers append the fields of an object that is open.
struct Writing {
    const Conversation& from;
    JsonOut& out;
    std::vector<std::string>& dropped;

    void drop(std::string_view name) { dropped.emplace_back(name); }
};

Result<void> write_chat(Writing& to);
Result<void> write_messages(Writing& to);
Result<void> write_responses(Writing& to);

/// Fields that clients' dialects call by different names.
enum class ClientField : uint8_t { stop, end_user, thinking, thought, format, logprobs };
std::string_view client_name(Dialect from, ClientField field);

/// Error::unsupported where more than one answer is asked of an upstream that gives one.
Result<void> check_one_answer(const Conversation& conversation);
/// Error::unsupported for max_tokens 0, which only Anthropic's own API takes.
Result<void> check_some_output(const Conversation& conversation);

void write_number(JsonOut& out, std::string_view name, RawJson value);
void drop_number(Writing& to, std::string_view name, RawJson value);

/// "auto", "none", "required"; empty for what is said otherwise or not at all.
std::string_view openai_choice(ToolChoice::Kind kind);

/// A text field, where there is one.
void write_optional(JsonOut& out, std::string_view name, Escaped text);

/// The tools, by `write_tool(out, tool)`, and then by `write_choice()` which are to be used;
/// nothing where there are none.
template <typename WriteTool, typename WriteChoice>
void write_tool_fields(Writing& to, const WriteTool& write_tool, const WriteChoice& write_choice) {
    if (to.from.tools.empty()) return;
    to.out.key("tools");
    to.out.begin_array();
    for (const Tool& tool : to.from.tools)
        write_tool(to.out, tool);
    to.out.end_array();
    write_choice();
}

/// OpenAI's name of the client's tier.
void write_openai_tier(Writing& to);

/// Whether the client wants the model to think.
constexpr bool thinks(const ThinkingWish& wish) {
    return wish.kind == ThinkingWish::Kind::on || wish.kind == ThinkingWish::Kind::adaptive;
}

/// The end user for OpenAI's dialects, dropped where it is longer than they take.
void write_openai_user(Writing& to);

/// The text of a block that has one: a text or a refusal. Nothing for others.
std::optional<Escaped> text_in(const Block& block);
std::optional<Escaped> text_in(const ToolResultPart& part);

/// Texts of `blocks` alone, on lines of their own, in one JSON string.
template <typename Blocks>
void append_texts(std::string& out, const Blocks& blocks, bool first = true) {
    for (const auto& block : blocks) {
        const auto text = text_in(block);
        if (!text) continue;
        if (!first) out += "\\n";
        out += text->raw;
        first = false;
    }
}

/// A tool's texts; those of an error begin with "Error: ", as OpenAI's dialects have no mark for
/// it.
void append_result_text(std::string& out, const ToolResultBlock& result);

template <typename Blocks>
bool all_text(const Blocks& blocks) {
    for (const auto& block : blocks)
        if (!text_in(block)) return false;
    return true;
}

/// The address of an image or a file as one string: as it is, or as a data: URL.
template <typename Media>
void write_address(JsonOut& out, std::string_view name, const Media& media) {
    out.key(name);
    out.begin_text();
    std::string& text = out.text_so_far();
    if (!media.url.empty()) {
        text += media.url.raw;
    } else {
        text += "data:";
        text += media.media_type.raw;
        text += ";base64,";
        text += media.data.raw;
    }
    out.end_text();
}

constexpr bool is_system(Role role) {
    return role == Role::system || role == Role::developer;
}

}  // namespace brigada
