// The reply of /v1/chat/completions.
#include <deque>
#include <utility>
#include <vector>

#include "api/chat_answer.h"
#include "api/reply.h"
#include "api/token_json.h"

namespace brigada {

namespace {

class ChatReply : public Reply {
  public:
    ChatReply(ReplyHead head, ChatAnswers answers, const Tokenizer& tokenizer)
        : head_(std::move(head)),
          answers_(std::move(answers)),
          tokenizer_(tokenizer),
          logprobs_(answers_.choices, Json::array()),
          held_(answers_.choices, Json::array()) {
        for (uint32_t i = 0; i < answers_.choices; ++i)
            choices_.emplace_back(answers_, concat(head_.id, '/', i));
    }

    Chunks opening(uint32_t choice) override {
        return {chunk(choice, {{"role", "assistant"}, {"content", ""}}, nullptr, nullptr)};
    }

    Chunks token(const TokenEvent& event) override {
        std::vector<Json> deltas = choices_[event.choice].token(event);
        Json logprobs = nullptr;
        if (has_logprob(event)) {
            logprobs = {{"content", Json::array({chat_logprob(tokenizer_, event)})}};
            if (deltas.empty()) deltas.push_back({{"content", ""}});
        }
        Chunks out;
        for (Json& delta : deltas)  // the first takes the token's logprob along
            out.push_back(chunk(event.choice, std::move(delta),
                                std::exchange(logprobs, Json(nullptr)), nullptr));
        return out;
    }

    Chunks finish(const ChoiceFinished& event) override {
        ChatAnswer& answer = choices_[event.choice];
        Chunks out;
        for (Json& delta : answer.finish(event))
            out.push_back(chunk(event.choice, std::move(delta), nullptr, nullptr));
        out.push_back(chunk(event.choice, Json::object(), nullptr, answer.reason()));
        return out;
    }

    Chunks end(const EngineUsage& usage) override {
        if (!head_.include_usage) return {kDone};
        return {
            closing_body(frame("chat.completion.chunk"), Json::array(), usage, reasoning_tokens()),
            kDone};
    }

    void collect(const TokenEvent& event) override {
        choices_[event.choice].collect(event);
        if (has_logprob(event)) held_[event.choice].push_back(chat_logprob(tokenizer_, event));
        settle_held(event.choice);
    }

    void collect(const ChoiceFinished& event) override {
        choices_[event.choice].collect(event);
        settle_held(event.choice);
    }

    std::string whole(const EngineUsage& usage) override {
        Json choices = Json::array();
        for (size_t i = 0; i < choices_.size(); ++i)
            choices.push_back(choice_json(i));
        return closing_body(frame("chat.completion"), std::move(choices), usage,
                            reasoning_tokens());
    }

  private:
    bool has_logprob(const TokenEvent& event) const { return head_.logprobs && !event.ends_answer; }

    /// Once it is known what the last tokens are of.
    void settle_held(uint32_t choice) {
        using Part = ChatAnswer::Part;
        Json& held = held_[choice];
        const Part part = head_.only_text_logprobs ? choices_[choice].part() : Part::text;
        if (part == Part::unknown) return;
        if (part == Part::text)
            for (Json& one : held)
                logprobs_[choice].push_back(std::move(one));
        held = Json::array();
    }

    uint32_t reasoning_tokens() const {
        uint32_t sum = 0;
        for (const ChatAnswer& answer : choices_)
            sum += answer.reasoning_tokens();
        return sum;
    }

    Json frame(std::string_view object) const {
        return {{"id", head_.id},
                {"object", object},
                {"created", head_.created_unix},
                {"model", head_.model}};
    }

    std::string chunk(uint32_t choice, Json delta, Json logprobs, Json reason) const {
        Json body = frame("chat.completion.chunk");
        body["choices"] = Json::array({{{"index", choice},
                                        {"delta", std::move(delta)},
                                        {"logprobs", std::move(logprobs)},
                                        {"finish_reason", std::move(reason)}}});
        if (head_.include_usage) body["usage"] = nullptr;
        return dump_json(body);
    }

    Json choice_json(size_t i) const {
        return {{"index", i},
                {"message", choices_[i].message()},
                {"logprobs", head_.logprobs ? Json{{"content", logprobs_[i]}} : Json(nullptr)},
                {"finish_reason", choices_[i].reason()}};
    }

    ReplyHead head_;
    ChatAnswers answers_;
    const Tokenizer& tokenizer_;
    std::deque<ChatAnswer> choices_;
    std::vector<Json> logprobs_, held_;  // of whole answers, by choice; held: of nobody knows what
};

}  // namespace

std::unique_ptr<Reply> make_chat_reply(ReplyHead head, ChatAnswers answers,
                                       const Tokenizer& tokenizer) {
    return std::make_unique<ChatReply>(std::move(head), std::move(answers), tokenizer);
}

}  // namespace brigada
