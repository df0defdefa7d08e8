#include "dialect/read_conversation.h"

#include "base/check.h"
#include "dialect/readers.h"
#include "dialect/request_parts.h"

namespace brigada {

namespace {

Result<void> read_dialect(JsonNode body, Conversation& to) {
    switch (to.from) {
        case Dialect::chat:
            return read_chat(body, to);
        case Dialect::messages:
            return read_messages(body, to);
        case Dialect::responses:
            return read_responses(body, to);
        case Dialect::completions:
        case Dialect::embeddings:
        case Dialect::count_tokens:
            break;
    }
    CHECK(false, to_string(to.from), " is no conversation");
    return {};
}

/// The body as a tree; where it holds halves of surrogate pairs, of a mended copy.
Result<JsonTree> parse(std::string_view body, Conversation& to) {
    Result<JsonTree> tree = JsonTree::parse(body);
    if (tree.ok() || tree.error().code != Code::corrupt) return tree;
    return JsonTree::parse(to.made.emplace_back(mended_surrogates(body)));
}

}  // namespace

Result<Conversation> read_conversation(std::string_view body, Dialect from) {
    Conversation out;
    out.from = from;
    TRY(const JsonTree tree, parse(body, out));
    TRY(read_dialect(tree.root(), out));
    TRY(check_tool_choice(out));
    return out;
}

}  // namespace brigada
