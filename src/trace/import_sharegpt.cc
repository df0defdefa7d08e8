// Conversations with their text: ShareGPT's (conversations[] with from and value) and OpenAI's
// (messages[] with role and content). Each answer is a call whose prompt is all that stands before
// it. A token is taken for 4 bytes; blocks are named by their bytes, so that equal beginnings are
// found across conversations. Nothing says when: gaps are 0.
#include "base/concat.h"
#include "base/fnv.h"
#include "trace/importer.h"

namespace brigada {

namespace {

constexpr size_t kTokenBytes = 4;

struct Message {
    std::string role, text;
    std::optional<uint32_t> tokens;  // where the file counts them
};

bool is_answer(std::string_view role) {
    return role == "gpt" || role == "assistant" || role == "model" || role == "chatgpt" ||
           role == "bing" || role == "bard";
}

/// A text, or a list of parts of which some have text.
std::string text_of(const Json& content) {
    if (content.is_string()) return content.get<std::string>();
    std::string out;
    if (content.is_array())
        for (const Json& part : content)
            if (part.is_object() && part.contains("text") && part["text"].is_string())
                out += part["text"].get<std::string>();
    return out;
}

Result<Message> read_message(const Record& record, bool is_sharegpt) {
    Message out;
    TRY(out.role, record.text(is_sharegpt ? "from" : "role"));
    const char* field = is_sharegpt ? "value" : "content";
    if (record.has(field)) out.text = text_of(record.json()[field]);
    if (record.has("tokens")) {
        TRY(out.tokens, record.tokens("tokens"));
    }
    return out;
}

Result<std::vector<Message>> read_messages(const Record& record) {
    const bool is_sharegpt = record.has("conversations");
    const char* field = is_sharegpt ? "conversations" : "messages";
    TRY(const Json* list, record.array(field));
    std::vector<Message> out;
    for (size_t i = 0; i < list->size(); ++i) {
        const Place place = record.place().element(field, i);
        if (!(*list)[i].is_object())
            return Error{Code::invalid_argument, concat(place.text(), ": not an object")};
        TRY(out.emplace_back(), read_message(Record((*list)[i], place), is_sharegpt));
    }
    return out;
}

uint32_t tokens_of(const Message& message) {
    const size_t counted = (message.text.size() + kTokenBytes - 1) / kTokenBytes;
    return message.tokens.value_or(static_cast<uint32_t>(std::max<size_t>(1, counted)));
}

/// The text of a message so long that its tokens take kTokenBytes each.
std::string fitted(const Message& message) {
    std::string out = message.text;
    out.resize(size_t(tokens_of(message)) * kTokenBytes, ' ');
    return out;
}

class Conversation {
  public:
    explicit Conversation(TraceBuilder& trace) : trace_(trace) {}

    /// One call for each answer.
    std::vector<TraceCall> calls(const std::vector<Message>& messages) {
        std::vector<TraceCall> out;
        bool of_user = true;
        for (const Message& message : messages) {
            if (is_answer(message.role) && !text_.empty())
                out.push_back(call(tokens_of(message), of_user));
            else
                of_user = message.role != "tool" && message.role != "function";
            text_ += fitted(message);
        }
        return out;
    }

  private:
    TraceCall call(uint32_t output_tokens, bool of_user) {
        TraceCall out{.model = trace_.model(kNoModel),
                      .prompt_tokens = static_cast<uint32_t>(text_.size() / kTokenBytes),
                      .output_tokens = output_tokens,
                      .user = of_user};
        const size_t block_bytes = trace_.block_tokens() * kTokenBytes;
        prompt_.keep(static_cast<uint32_t>(full_));
        for (; (full_ + 1) * block_bytes <= text_.size(); ++full_)
            prompt_.add(trace_.names().shared(
                prompt_.last(),
                fnv1a64(std::string_view(text_).substr(full_ * block_bytes, block_bytes))));
        if (full_ * block_bytes < text_.size()) prompt_.add(trace_.names().fresh(1));
        prompt_.end(out);
        return out;
    }

    TraceBuilder& trace_;
    PromptChain prompt_;
    std::string text_;
    size_t full_ = 0;  // blocks of text_ that are named
};

Result<void> read(const Record& record, TraceBuilder& trace) {
    TRY(const std::vector<Message> messages, read_messages(record));
    TRY(const std::string name, record.text_or("id", "conversation"));
    uint64_t tokens = 0;
    for (const Message& message : messages)
        tokens += tokens_of(message);
    if (tokens > kMostTokens)
        return Error{Code::invalid_argument,
                     concat(record.place().text(), ": a conversation of ", tokens, " tokens; 0 to ",
                            kMostTokens, " are believed")};
    TRY(check_room(trace, tokens + messages.size() * trace.block_tokens(), record.place()));
    std::vector<TraceCall> calls = Conversation(trace).calls(messages);
    if (calls.empty())
        return Error{Code::invalid_argument,
                     concat(record.place().text(), ": a conversation without an answer")};
    trace.add({.name = name, .calls = std::move(calls)});
    return {};
}

}  // namespace

Result<void> import_sharegpt(TraceText& text, Import& import) {
    TRY(import.trace.set_block_tokens(import.options.block_tokens));
    return each_json_text(text, import,
                          [&](const Record& record) { return read(record, import.trace); });
}

}  // namespace brigada
