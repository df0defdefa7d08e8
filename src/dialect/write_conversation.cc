#include "dialect/write_conversation.h"

#include <algorithm>

#include "base/check.h"
#include "dialect/writers.h"

namespace brigada {

namespace {

Result<void> write_dialect(Writing& to, Dialect dialect) {
    switch (dialect) {
        case Dialect::chat:
            return write_chat(to);
        case Dialect::messages:
            return write_messages(to);
        case Dialect::responses:
            return write_responses(to);
        case Dialect::completions:
        case Dialect::embeddings:
        case Dialect::count_tokens:
            break;
    }
    CHECK(false, to_string(dialect), " is no conversation");
    return {};
}

size_t bytes_of(const ToolInput& input) {
    return std::visit(
        [](const auto& value) {
            if constexpr (requires { value.raw; })
                return value.raw.size();
            else
                return value.text.size();
        },
        input);
}

size_t bytes_of(const Block& block);

size_t bytes_of(const ToolResultBlock& result) {
    size_t out = 0;
    for (const ToolResultPart& part : result.content)
        std::visit([&](const auto& value) { out += bytes_of(Block(value)); }, part);
    return out;
}

/// Roughly: what is long in a block, and room for the words around it.
size_t bytes_of(const Block& block) {
    constexpr size_t kWords = 128;
    if (const auto* call = std::get_if<ToolCallBlock>(&block))
        return kWords + bytes_of(call->input) * 5 / 4;  // quotes become two bytes
    if (const auto* result = std::get_if<ToolResultBlock>(&block))
        return kWords + bytes_of(*result);
    return kWords + std::visit(
                        [](const auto& value) -> size_t {
                            size_t out = 0;
                            if constexpr (requires { value.text; }) out += value.text.raw.size();
                            if constexpr (requires { value.data; }) out += value.data.raw.size();
                            if constexpr (requires { value.url; }) out += value.url.raw.size();
                            if constexpr (requires { value.signature; })
                                out += value.signature.raw.size();
                            return out;
                        },
                        block);
}

/// So that the body is as a rule written without moving it.
size_t expected_bytes(const Conversation& conversation) {
    size_t out = 1'024;
    for (const Message& message : conversation.messages)
        for (const Block& block : message.blocks)
            out += bytes_of(block);
    for (const Tool& tool : conversation.tools)
        out +=
            256 + tool.description.raw.size() + tool.schema.text.size() + tool.grammar.raw.size();
    return out;
}

}  // namespace

Result<WrittenRequest> write_conversation(const Conversation& conversation, Dialect to,
                                          std::string_view model) {
    WrittenRequest request{.body = {}, .dropped = conversation.unknown};
    request.body.reserve(expected_bytes(conversation));
    JsonOut out(request.body);
    Writing writing{.from = conversation, .out = out, .dropped = request.dropped};
    const std::string name = escaped(model);
    out.begin_object();
    out.text_field("model", {name});
    TRY(write_dialect(writing, to));
    if (conversation.stream) out.boolean_field("stream", true);
    out.end_object();
    std::ranges::sort(request.dropped);
    const auto [first, last] = std::ranges::unique(request.dropped);
    request.dropped.erase(first, last);
    return request;
}

}  // namespace brigada
