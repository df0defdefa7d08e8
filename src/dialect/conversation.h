// Conversation: what a client asks, whichever dialect it speaks: who said what, the tools, how to
// answer. Each dialect is read into it and written from it, so that three dialects need six
// translators and not nine.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/escaped.h"

namespace brigada {

enum class Role : uint8_t { system, developer, user, assistant };

struct TextBlock {
    Escaped text = {};
};

/// By address, or as base64 with its type, which is how a data: URL is read.
struct ImageBlock {
    Escaped url = {};
    Escaped media_type = {}, data = {};
    Escaped detail = {};
};

/// A document, as a rule a PDF: like an image, with a name.
struct FileBlock {
    Escaped url = {};
    Escaped media_type = {}, data = {};
    Escaped name = {};
};

/// What a model thought before it answered. `signature` is the upstream's proof of it
/// (Anthropic's signature, OpenAI's encrypted_content), empty where there is none.
struct ThinkingBlock {
    Escaped text = {};
    Escaped signature = {};
    Escaped id = {};  // of a Responses item
};

struct RedactedThinkingBlock {
    Escaped data = {};
};

struct RefusalBlock {
    Escaped text = {};
};

/// OpenAI's dialects carry a call's arguments as text that ought to be JSON, Anthropic's as JSON.
/// Each is kept as it came.
using ToolInput = std::variant<Escaped, RawJson>;

struct ToolCallBlock {
    Escaped id = {};
    Escaped name = {};
    ToolInput input = {};
    bool custom = false;  // a Responses custom tool: the input is free text
};

using ToolResultPart = std::variant<TextBlock, ImageBlock, FileBlock>;

struct ToolResultBlock {
    Escaped call_id = {};
    std::vector<ToolResultPart> content = {};
    bool is_error = false;
    bool custom = false;
};

using Block = std::variant<TextBlock, ImageBlock, FileBlock, ThinkingBlock, RedactedThinkingBlock,
                           RefusalBlock, ToolCallBlock, ToolResultBlock>;

/// Tool results stand in the user's messages, calls in the assistant's.
struct Message {
    Role role = Role::user;
    std::vector<Block> blocks = {};
    Escaped name = {};
};

struct Tool {
    Escaped name = {};   // of a tool in a namespace: "space__name", as other dialects call it
    Escaped space = {};  // Responses: the namespace it stands in
    Escaped description = {};
    RawJson schema = {};  // of the arguments; none: an object of anything
    std::optional<bool> strict = {};
    bool custom = false;  // takes free text; other dialects see a function with one text, `input`
    Escaped grammar = {}, grammar_syntax = {};  // of that text: "lark" or "regex"
};

/// Between the namespace and the name of a tool.
inline constexpr std::string_view kSpaceJoint = "__";

struct ToolChoice {
    enum class Kind : uint8_t { unsaid, automatic, none, required, named };
    Kind kind = Kind::unsaid;
    Escaped name = {};
    std::optional<bool> parallel = {};
};

/// How long to think. OpenAI says it by effort, Anthropic by a budget or leaves it to the model.
struct ThinkingWish {
    enum class Kind : uint8_t { unsaid, off, on, adaptive };
    Kind kind = Kind::unsaid;
    std::optional<int64_t> budget_tokens = {};
    Escaped effort = {};
    std::optional<bool> shown = {};  // whether the client wants to read it
};

struct OutputFormat {
    enum class Kind : uint8_t { text, json_object, json_schema };
    Kind kind = Kind::text;
    Escaped name = {};
    Escaped description = {};
    RawJson schema = {};
    std::optional<bool> strict = {};
};

/// Numbers as they came: nothing is rounded on the way through.
struct SamplingWish {
    RawJson temperature = {}, top_p = {}, top_k = {}, seed = {};
    RawJson presence_penalty = {}, frequency_penalty = {};
    std::vector<Escaped> stop = {};
    std::optional<int64_t> max_output = {};
    std::optional<int64_t> choices = {};  // n
    bool logprobs = false;                // of the answer's tokens
    RawJson top_logprobs = {};            // how many beside each; only with logprobs
};

/// Moved, never copied: views refer into it.
struct Conversation {
    Conversation() = default;
    Conversation(Conversation&&) = default;
    Conversation& operator=(Conversation&&) = default;

    Dialect from = Dialect::chat;
    std::string model = {};
    std::vector<Message> messages = {};  // system prompts among them, where they stood
    std::vector<Tool> tools = {};
    ToolChoice tool_choice = {};
    SamplingWish sampling = {};
    ThinkingWish thinking = {};
    OutputFormat format = {};
    bool stream = false;
    bool include_usage = false;  // chat: a stream says it only when asked
    Escaped end_user = {};
    Escaped service_tier = {};
    Escaped prompt_cache_key = {};
    Escaped verbosity = {};

    /// Responses: kept for later calls, or the continuation of a kept one.
    std::optional<bool> store = {};
    Escaped previous_response_id = {};

    /// What only the client's dialect can say, or what nobody here knows: fields by name, tools of
    /// the provider as "tools.web_search", parts of messages as "messages.server_tool_use".
    std::vector<std::string> unknown = {};

    /// Text that stands in no body: joined, escaped anew. Views above refer into it.
    std::deque<std::string> made = {};
};

}  // namespace brigada
