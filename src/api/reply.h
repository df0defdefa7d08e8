// Reply: the answer to one request in the shape of its endpoint, whole or as a stream of chunks. A
// dialect implements it once and the server drives every dialect alike.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "dialect/conversation.h"
#include "dialect/dialect.h"
#include "engine/request.h"
#include "tokens/tokenizer.h"
#include "toolcall/answer_parser.h"

namespace brigada {

/// What every body repeats.
struct ReplyHead {
    std::string id;            // "chatcmpl-..."
    int64_t created_unix = 0;  // seconds
    std::string model;
    bool include_usage = false;       // a last chunk with the usage
    bool only_text_logprobs = false;  // and not those of reasoning and calls
    bool logprobs = false;
};

using Chunks = std::vector<std::string>;

/// The end of a good stream of OpenAI's older endpoints.
inline constexpr const char* kDone = "[DONE]";

class Reply {
  public:
    virtual ~Reply() = default;

    // A stream: the JSON of each chunk, none where there is nothing to say.
    virtual Chunks opening(uint32_t choice) = 0;
    virtual Chunks token(const TokenEvent& event) = 0;
    virtual Chunks finish(const ChoiceFinished& event) = 0;
    /// After the last choice: the usage, if it was asked for, and what ends a good stream.
    virtual Chunks end(const EngineUsage& usage) = 0;
    /// The last of a stream that broke.
    virtual Chunks failure(const Error& error);
    /// Whether chunks are whole events already, and not the data of one each.
    virtual bool is_framed() const { return false; }

    // Whole: the events are collected by the same object, then rendered.
    virtual void collect(const TokenEvent& event) = 0;
    virtual void collect(const ChoiceFinished& event) = 0;
    virtual std::string whole(const EngineUsage& usage) = 0;

    /// In which errors are said, too.
    virtual Dialect dialect() const { return Dialect::chat; }
    /// Fields of the request that had no meaning here, for people; "" for none.
    virtual std::string dropped() const { return {}; }
};

/// How the answers of a chat are read.
struct ChatAnswers {
    AnswerFormat format;
    AnswerRules rules;  // the same for all choices; ids of calls are made of the reply's own
    ToolList tools;
    uint32_t choices = 1;
    bool include_reasoning = true;  // else it is left out of the reply
    /// Told why a call was none. May be empty.
    std::function<void(std::string_view reason)> on_broken_call = {};
};

/// /v1/chat/completions. Borrows the tokenizer.
std::unique_ptr<Reply> make_chat_reply(ReplyHead head, ChatAnswers answers,
                                       const Tokenizer& tokenizer);

/// /v1/completions. `echo` has, for each choice, the text that goes in front; empty for none.
std::unique_ptr<Reply> make_completion_reply(ReplyHead head, std::vector<std::string> echo,
                                             const Tokenizer& tokenizer);

/// `chat` in another dialect, which is messages or responses. Takes what it needs of `asked`;
/// `head` is of the client's dialect. `chat` must tell its usage.
std::unique_ptr<Reply> make_translated_reply(std::unique_ptr<Reply> chat, Dialect dialect,
                                             const ReplyHead& head, const Conversation& asked,
                                             std::string dropped);

}  // namespace brigada
