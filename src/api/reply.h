// Reply: the answer to one request in the shape of its endpoint, whole or as a stream of chunks. A
// dialect implements it once and the server drives every dialect alike.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/json.h"
#include "engine/request.h"
#include "tokens/tokenizer.h"

namespace brigada {

/// What every body repeats.
struct ReplyHead {
    std::string id;            // "chatcmpl-..."
    int64_t created_unix = 0;  // seconds
    std::string model;
    bool include_usage = false;  // a last chunk with the usage
    bool logprobs = false;
};

class Reply {
  public:
    virtual ~Reply() = default;

    // A stream: the JSON of each chunk, "" where there is nothing to say.
    virtual std::string opening(uint32_t choice) = 0;
    virtual std::string token(const TokenEvent& event) = 0;
    virtual std::string finish(const ChoiceFinished& event) = 0;
    virtual std::string usage(const EngineUsage& usage) = 0;

    // Whole: the events are collected by the same object, then rendered.
    virtual void collect(const TokenEvent& event) = 0;
    virtual void collect(const ChoiceFinished& event) = 0;
    virtual std::string whole(const EngineUsage& usage) = 0;
};

/// /v1/chat/completions. Borrows the tokenizer.
std::unique_ptr<Reply> make_chat_reply(ReplyHead head, uint32_t choices,
                                       const Tokenizer& tokenizer);

/// /v1/completions. `echo` has, for each choice, the text that goes in front; empty for none.
std::unique_ptr<Reply> make_completion_reply(ReplyHead head, std::vector<std::string> echo,
                                             const Tokenizer& tokenizer);

}  // namespace brigada
