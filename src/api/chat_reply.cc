// The reply of /v1/chat/completions.
#include <utility>
#include <vector>

#include "api/reply.h"
#include "api/token_json.h"

namespace brigada {

namespace {

class ChatReply : public Reply {
  public:
    ChatReply(ReplyHead head, uint32_t choices, const Tokenizer& tokenizer)
        : head_(std::move(head)), tokenizer_(tokenizer), answers_(choices) {}

    std::string opening(uint32_t choice) override {
        return chunk(choice, {{"role", "assistant"}, {"content", ""}}, nullptr, nullptr);
    }

    std::string token(const TokenEvent& event) override {
        const bool has_logprob = head_.logprobs && !event.ends_answer;
        if (event.text.empty() && !has_logprob) return "";
        Json logprobs = nullptr;
        if (has_logprob) logprobs = {{"content", Json::array({chat_logprob(tokenizer_, event)})}};
        return chunk(event.choice, {{"content", event.text}}, std::move(logprobs), nullptr);
    }

    std::string finish(const ChoiceFinished& event) override {
        Json delta = Json::object();
        if (!event.text.empty()) delta["content"] = event.text;
        return chunk(event.choice, std::move(delta), nullptr, finish_reason(event.reason));
    }

    std::string usage(const EngineUsage& usage) override {
        if (!head_.include_usage) return "";
        return closing_body(frame("chat.completion.chunk"), Json::array(), usage);
    }

    void collect(const TokenEvent& event) override {
        Answer& answer = answers_[event.choice];
        answer.text += event.text;
        if (head_.logprobs && !event.ends_answer)
            answer.logprobs.push_back(chat_logprob(tokenizer_, event));
    }

    void collect(const ChoiceFinished& event) override {
        answers_[event.choice].text += event.text;
        answers_[event.choice].reason = event.reason;
    }

    std::string whole(const EngineUsage& usage) override {
        Json choices = Json::array();
        for (size_t i = 0; i < answers_.size(); ++i)
            choices.push_back(choice_json(i));
        return closing_body(frame("chat.completion"), std::move(choices), usage);
    }

  private:
    struct Answer {
        std::string text;
        Json logprobs = Json::array();
        FinishReason reason = FinishReason::stop;
    };

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
        const Answer& answer = answers_[i];
        return {{"index", i},
                {"message", {{"role", "assistant"}, {"content", answer.text}}},
                {"logprobs", head_.logprobs ? Json{{"content", answer.logprobs}} : Json(nullptr)},
                {"finish_reason", finish_reason(answer.reason)}};
    }

    ReplyHead head_;
    const Tokenizer& tokenizer_;
    std::vector<Answer> answers_;
};

}  // namespace

std::unique_ptr<Reply> make_chat_reply(ReplyHead head, uint32_t choices,
                                       const Tokenizer& tokenizer) {
    return std::make_unique<ChatReply>(std::move(head), choices, tokenizer);
}

}  // namespace brigada
