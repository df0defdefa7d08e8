// The reply of /v1/completions.
#include <utility>
#include <vector>

#include "api/reply.h"
#include "api/token_json.h"

namespace brigada {

namespace {

class CompletionReply : public Reply {
  public:
    CompletionReply(ReplyHead head, std::vector<std::string> echo, const Tokenizer& tokenizer)
        : head_(std::move(head)), tokenizer_(tokenizer), answers_(echo.size()) {
        for (size_t i = 0; i < echo.size(); ++i)
            answers_[i].text = std::move(echo[i]);
    }

    Chunks opening(uint32_t choice) override {
        const std::string& echo = answers_[choice].text;
        return echo.empty() ? Chunks{} : Chunks{chunk(choice, echo, nullptr, nullptr)};
    }

    Chunks token(const TokenEvent& event) override {
        const bool has_logprob = head_.logprobs && !event.ends_answer;
        if (event.text.empty() && !has_logprob) return {};
        Json logprobs = nullptr;
        if (has_logprob) {
            CompletionLogprobs one;
            one.add(tokenizer_, event);
            logprobs = one.json();
        }
        return {chunk(event.choice, event.text, std::move(logprobs), nullptr)};
    }

    Chunks finish(const ChoiceFinished& event) override {
        return {chunk(event.choice, event.text, nullptr, finish_reason(event.reason))};
    }

    Chunks end(const EngineUsage& usage) override {
        if (!head_.include_usage) return {kDone};
        return {closing_body(frame(), Json::array(), usage), kDone};
    }

    void collect(const TokenEvent& event) override {
        answers_[event.choice].text += event.text;
        if (head_.logprobs && !event.ends_answer)
            answers_[event.choice].logprobs.add(tokenizer_, event);
    }

    void collect(const ChoiceFinished& event) override {
        answers_[event.choice].text += event.text;
        answers_[event.choice].reason = event.reason;
    }

    std::string whole(const EngineUsage& usage) override {
        Json choices = Json::array();
        for (size_t i = 0; i < answers_.size(); ++i) {
            const Answer& answer = answers_[i];
            choices.push_back(choice_json(i, answer.text,
                                          head_.logprobs ? answer.logprobs.json() : Json(nullptr),
                                          finish_reason(answer.reason)));
        }
        return closing_body(frame(), std::move(choices), usage);
    }

  private:
    struct Answer {
        std::string text;
        CompletionLogprobs logprobs;
        FinishReason reason = FinishReason::stop;
    };

    Json frame() const {
        return {{"id", head_.id},
                {"object", "text_completion"},
                {"created", head_.created_unix},
                {"model", head_.model}};
    }

    static Json choice_json(size_t i, const std::string& text, Json logprobs, Json reason) {
        return {{"index", i},
                {"text", text},
                {"logprobs", std::move(logprobs)},
                {"finish_reason", std::move(reason)}};
    }

    std::string chunk(uint32_t choice, const std::string& text, Json logprobs, Json reason) const {
        Json body = frame();
        body["choices"] =
            Json::array({choice_json(choice, text, std::move(logprobs), std::move(reason))});
        if (head_.include_usage) body["usage"] = nullptr;
        return dump_json(body);
    }

    ReplyHead head_;
    const Tokenizer& tokenizer_;
    std::vector<Answer> answers_;
};

}  // namespace

std::unique_ptr<Reply> make_completion_reply(ReplyHead head, std::vector<std::string> echo,
                                             const Tokenizer& tokenizer) {
    return std::make_unique<CompletionReply>(std::move(head), std::move(echo), tokenizer);
}

}  // namespace brigada
