// ChatAnswer: one choice of a chat reply. It takes the text that a model writes apart and says it
// in the words of /v1/chat/completions, as the deltas of a stream or as a whole message.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/reply.h"
#include "base/json.h"
#include "engine/request.h"
#include "toolcall/answer_parser.h"

namespace brigada {

class ChatAnswer {
  public:
    /// Borrows `answers`. Ids of calls are made of `salt`.
    ChatAnswer(const ChatAnswers& answers, std::string salt);

    /// The deltas that one more token gives; none while it is not clear what it is.
    std::vector<Json> token(const TokenEvent& event);
    /// The last ones.
    std::vector<Json> finish(const ChoiceFinished& event);

    // The same events, gathered for a whole message.
    void collect(const TokenEvent& event);
    void collect(const ChoiceFinished& event);
    Json message() const;

    /// "tool_calls" where the answer ended after calls.
    std::string_view reason() const;
    uint32_t reasoning_tokens() const { return reasoning_tokens_; }
    /// What the last token is of; unknown where its text is held back. Of the end: what was held.
    enum class Part { text, other, unknown };
    Part part() const { return part_; }

  private:
    struct Call {
        std::string id, name, arguments;
        bool is_broken = false;
    };

    AnswerPieces read(const TokenEvent& event);
    AnswerPieces read(const ChoiceFinished& event);
    void note_broken(const AnswerPieces& pieces) const;
    static Part part_of(const AnswerPieces& pieces);
    std::vector<Json> deltas(const AnswerPieces& pieces) const;
    void gather(AnswerPieces pieces);

    const ChatAnswers& answers_;
    std::unique_ptr<AnswerParser> parser_;
    uint32_t reasoning_tokens_ = 0;
    Part part_ = Part::unknown;
    FinishReason reason_ = FinishReason::stop;
    std::string text_, reasoning_;  // of a whole message
    std::vector<Call> calls_;
};

}  // namespace brigada
