#include "dialect/without_thoughts.h"

#include <algorithm>
#include <array>
#include <optional>

#include "dialect/json_tree.h"
#include "dialect/writers.h"

namespace brigada {

namespace {

bool has_type(JsonNode node, std::string_view type) {
    if (!node.is(JsonKind::object)) return false;
    const auto found = node.find("type");
    return found && found->is(JsonKind::string) && found->text().raw == type;
}

bool is_thought(JsonNode block) {
    return has_type(block, "thinking") || has_type(block, "redacted_thinking");
}

template <typename Is>
bool has_any(JsonNode array, const Is& is) {
    for (const JsonNode element : array)
        if (is(element)) return true;
    return false;
}

/// An array written anew from what `keep` makes of its elements; those it makes "" of are left out.
template <typename Keep>
std::string array_of_kept(JsonNode array, const Keep& keep) {
    std::string out = "[";
    for (const JsonNode element : array) {
        const std::string kept = keep(element);
        if (kept.empty()) continue;
        if (out.size() > 1) out += ',';
        out += kept;
    }
    return out + ']';
}

std::string as_it_is(JsonNode node) {
    return std::string(node.raw().text);
}

std::optional<JsonNode> content_with_thoughts(JsonNode message) {
    if (!message.is(JsonKind::object)) return std::nullopt;
    const auto content = message.find("content");
    if (!content || !content->is(JsonKind::array)) return std::nullopt;
    return has_any(*content, is_thought) ? content : std::nullopt;
}

/// "" for a message of thoughts alone.
std::string message_without(JsonNode message) {
    const auto content = content_with_thoughts(message);
    std::string out = as_it_is(message);
    if (!content) return out;
    const std::string_view old = content->raw().text;
    const auto at = static_cast<size_t>(old.data() - message.raw().text.data());
    const std::string kept = array_of_kept(
        *content, [](JsonNode block) { return is_thought(block) ? "" : as_it_is(block); });
    return kept == "[]" ? "" : out.replace(at, old.size(), kept);
}

/// Whether the last message answers calls of tools.
bool goes_on_after_calls(JsonNode messages) {
    std::optional<JsonNode> last;
    for (const JsonNode message : messages)
        last = message;
    if (!last || !last->is(JsonKind::object)) return false;
    const auto content = last->find("content");
    return content && content->is(JsonKind::array) &&
           has_any(*content, [](JsonNode block) { return has_type(block, "tool_result"); });
}

std::vector<BodyEdit> cut_of_messages(JsonNode root) {
    const auto messages = root.find("messages");
    if (!messages || !messages->is(JsonKind::array)) return {};
    const bool has_some = has_any(
        *messages, [](JsonNode message) { return content_with_thoughts(message).has_value(); });
    if (!has_some) return {};
    std::vector<BodyEdit> out;
    out.push_back({messages->raw().text, array_of_kept(*messages, message_without)});
    const auto thinking = root.find("thinking");
    if (thinking && has_type(*thinking, "enabled") && goes_on_after_calls(*messages))
        out.push_back({thinking->raw().text, R"({"type":"disabled"})"});
    return out;
}

std::vector<BodyEdit> cut_of_responses(JsonNode root) {
    const auto input = root.find("input");
    if (!input || !input->is(JsonKind::array)) return {};
    const auto is_reasoning = [](JsonNode item) { return has_type(item, "reasoning"); };
    if (!has_any(*input, is_reasoning)) return {};
    return {{input->raw().text, array_of_kept(*input, [&](JsonNode item) {
                 return is_reasoning(item) ? "" : as_it_is(item);
             })}};
}

bool has_proof(const Block& block) {
    if (std::holds_alternative<RedactedThinkingBlock>(block)) return true;
    const auto* thinking = std::get_if<ThinkingBlock>(&block);
    return thinking && !thinking->signature.empty();
}

}  // namespace

bool says_thought_refused(std::string_view error_body) {
    constexpr std::array<std::string_view, 9> kWordings{"nvalid `signature` in `thinking`",
                                                        "nvalid signature in thinking",
                                                        "thinking.signature",
                                                        "nvalid `data` in `redacted_thinking`",
                                                        "invalid_encrypted_content",
                                                        "encrypted content",
                                                        "encrypted_content",
                                                        "hought signature",
                                                        "thought_signature"};
    return std::ranges::any_of(
        kWordings, [&](std::string_view wording) { return error_body.contains(wording); });
}

std::vector<BodyEdit> thoughts_cut(std::string_view body, Dialect dialect) {
    if (dialect != Dialect::messages && dialect != Dialect::responses) return {};
    const Result<JsonTree> tree = JsonTree::parse(body);
    if (!tree.ok()) return {};
    return dialect == Dialect::messages ? cut_of_messages(tree->root())
                                        : cut_of_responses(tree->root());
}

bool leave_thoughts_out(Conversation& conversation) {
    size_t left_out = 0;
    for (Message& message : conversation.messages)
        left_out += std::erase_if(message.blocks, has_proof);
    if (left_out == 0) return false;
    std::erase_if(conversation.messages,
                  [](const Message& message) { return message.blocks.empty(); });
    conversation.unknown.emplace_back(thoughts_name(conversation.from));
    return true;
}

std::string_view thoughts_name(Dialect client) {
    return client_name(client, ClientField::thought);
}

}  // namespace brigada
