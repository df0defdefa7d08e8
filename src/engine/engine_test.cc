// The engine as its users see it: events in order, the same answers from cache and without,
// choices, ends, cancelling and refusals; on a small real model.
#include "engine/engine.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>

#include "engine/setup.h"
#include "engine/test_model.h"
#include "grammar/grammar_spec.h"

namespace brigada {
namespace {

/// All events of one request, and the wait for its end.
class Answer {
  public:
    EventSink sink() {
        return [this](EngineEvent event) {
            std::lock_guard lock(mutex_);
            last_ = std::holds_alternative<RequestFinished>(event) ||
                    std::holds_alternative<RequestFailed>(event);
            events_.push_back(std::move(event));
            changed_.notify_all();
        };
    }
    const std::vector<EngineEvent>& wait() {
        std::unique_lock lock(mutex_);
        CHECK(changed_.wait_for(lock, std::chrono::seconds(60), [this] { return last_; }));
        return events_;
    }
    void wait_for_events(size_t count) {
        std::unique_lock lock(mutex_);
        CHECK(changed_.wait_for(lock, std::chrono::seconds(60),
                                [&] { return events_.size() >= count; }));
    }

    Tokens tokens(uint32_t choice = 0) {
        Tokens out;
        for (const EngineEvent& event : wait())
            if (const auto* token = std::get_if<TokenEvent>(&event);
                token && token->choice == choice)
                out.push_back(token->token);
        return out;
    }
    std::string text(uint32_t choice = 0) {
        std::string out;
        for (const EngineEvent& event : wait()) {
            if (const auto* token = std::get_if<TokenEvent>(&event);
                token && token->choice == choice)
                out += token->text;
            if (const auto* end = std::get_if<ChoiceFinished>(&event); end && end->choice == choice)
                out += end->text;
        }
        return out;
    }
    ChoiceFinished end(uint32_t choice = 0) {
        for (const EngineEvent& event : wait())
            if (const auto* end = std::get_if<ChoiceFinished>(&event); end && end->choice == choice)
                return *end;
        CHECK(false, "choice ", choice, " has no end");
    }
    EngineUsage usage() {
        const auto* finished = std::get_if<RequestFinished>(&wait().back());
        CHECK(finished, error());
        return finished->usage;
    }
    std::string error() {
        const auto* failed = std::get_if<RequestFailed>(&wait().back());
        return failed ? failed->error.message : "";
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<EngineEvent> events_;
    bool last_ = false;
};

class EngineTest : public testing::Test {
  protected:
    EngineTest() {
        auto opened = open_model(model_path("stories260K/gguf/stories260K-f32.gguf"));
        CHECK(opened.ok(), opened.error().message);
        model_ = std::make_unique<Model>(std::move(opened).value());
        start({});
    }

    void start(SchedulerConfig sched, uint32_t blocks = 256) {
        engine_.reset();
        EngineOptions options;
        options.threads = 2;
        options.sched = sched;
        options.kv_memory =
            uint64_t{blocks} * kKvBlockTokens * 960;  // 960 bytes a token: 5 layers,
        auto started =
            start_engine(*model_, options, nullptr, {});  // 4 heads of 8, K and V, f16...
        CHECK(started.ok(), started.error().message);
        engine_ = std::move(started->engine);
        facts_ = started->facts;
    }

    Tokens prompt(const std::string& text) const {
        Tokens out{*model_->tokenizer().bos()};
        model_->tokenizer().append_encoded(text, Specials::none, out);
        return out;
    }

    EngineRequest greedy(const std::string& text, uint32_t max_tokens, Answer& answer) const {
        EngineRequest out;
        out.prompt = prompt(text);
        out.sampling.temperature = 0;
        out.stop.max_tokens = max_tokens;
        out.stop.ignore_eos = true;
        out.received = Clock().now();
        out.sink = answer.sink();
        return out;
    }

    std::string greedy_text(const std::string& text, uint32_t max_tokens) {
        Answer answer;
        CHECK(engine_->submit(greedy(text, max_tokens, answer)).ok());
        return answer.text();
    }

    std::unique_ptr<Model> model_;
    std::unique_ptr<Engine> engine_;
    EngineFacts facts_;
};

constexpr const char* kLong =
    "Once upon a time, there was a little girl named Lily. She loved to play outside in the park. "
    "One day, she saw a big, red ball. She wanted to play with it, but it was too high.";

TEST_F(EngineTest, tells_the_story_that_llama2_c_tells) {
    EXPECT_THAT(greedy_text("Once upon a time", 60),
                testing::StartsWith(
                    ", there was a little girl named Lily. She loved to play outside in the park. "
                    "One day, she saw a big, red ball."));
}

TEST_F(EngineTest, a_cached_prompt_gives_the_same_answer_and_says_so) {
    Answer cold, warm;
    ASSERT_TRUE(engine_->submit(greedy(kLong, 40, cold)).ok());
    EXPECT_EQ(cold.usage().cached_tokens, 0u);
    ASSERT_TRUE(engine_->submit(greedy(kLong, 40, warm)).ok());
    EXPECT_EQ(warm.text(), cold.text());
    const uint32_t size = warm.usage().prompt_tokens;
    EXPECT_EQ(warm.usage().cached_tokens, (size - 1) / kKvBlockTokens * kKvBlockTokens);
    EXPECT_EQ(warm.usage().completion_tokens, 40u);
}

TEST_F(EngineTest, a_grammar_holds_every_choice_and_cached_prompts_change_nothing) {
    const auto grammar = compile_grammar({.kind = GrammarSpec::Kind::json_schema,
                                          .text = R"({"type": "array", "minItems": 2, "maxItems": 4,
                                                      "items": {"type": "boolean"}})"});
    ASSERT_TRUE(grammar.ok());
    std::vector<std::string> first;
    for (int round = 0; round < 2; ++round) {
        Answer answer;
        EngineRequest request = greedy(kLong, 60, answer);
        request.grammar = *grammar;
        request.choices = 3;
        request.sampling = {.temperature = 2, .seed = 1};
        ASSERT_TRUE(engine_->submit(std::move(request)).ok());
        for (uint32_t choice = 0; choice < 3; ++choice) {
            EXPECT_EQ(answer.end(choice).reason, FinishReason::stop);
            const std::string text = answer.text(choice);
            const auto value = parse_json(text, "answer");
            ASSERT_TRUE(value.ok()) << text;
            EXPECT_GE(value->size(), 2u);
            if (round == 0) first.push_back(text);
            EXPECT_EQ(text, first[choice]);
        }
    }
}

TEST_F(EngineTest, salts_do_not_share) {
    Answer first, second;
    EngineRequest salted = greedy(kLong, 4, first);
    salted.cache_salt = "a";
    ASSERT_TRUE(engine_->submit(std::move(salted)).ok());
    (void)first.wait();
    salted = greedy(kLong, 4, second);
    salted.cache_salt = "b";
    ASSERT_TRUE(engine_->submit(std::move(salted)).ok());
    EXPECT_EQ(second.usage().cached_tokens, 0u);
}

TEST_F(EngineTest, many_at_once_answer_as_each_alone) {
    const std::vector<std::string> prompts = {"Once upon a time", "Tom and Lily", "The dog",
                                              "A bird",           kLong,          "One day",
                                              "Sam had",          "In the park"};
    std::vector<std::string> alone;
    for (const auto& text : prompts)
        alone.push_back(greedy_text(text, 60));
    start({.step_tokens = 32, .max_running = 5});
    std::vector<Answer> together(prompts.size());
    for (size_t i = 0; i < prompts.size(); ++i)
        ASSERT_TRUE(engine_->submit(greedy(prompts[i], 60, together[i])).ok());
    for (size_t i = 0; i < prompts.size(); ++i)
        EXPECT_EQ(together[i].text(), alone[i]) << i;
}

TEST_F(EngineTest, preemption_changes_no_answer) {
    std::vector<std::string> alone;
    const std::vector<std::string> prompts = {"Once upon a time", "Tom and Lily", "The dog",
                                              "A bird"};
    for (const auto& text : prompts)
        alone.push_back(greedy_text(text, 400));
    start({.step_tokens = 64, .max_running = 4, .watermark_permille = 0},
          40);  // 640 tokens for 1,600
    std::vector<Answer> together(prompts.size());
    for (size_t i = 0; i < prompts.size(); ++i)
        ASSERT_TRUE(engine_->submit(greedy(prompts[i], 400, together[i])).ok());
    for (size_t i = 0; i < prompts.size(); ++i)
        EXPECT_EQ(together[i].text(), alone[i]) << i;
    EXPECT_GT(engine_->snapshot().sched.preemptions, 0u);
}

TEST_F(EngineTest, choices_share_the_prompt_and_differ_by_seed) {
    Answer answer, again;
    for (Answer* to : {&answer, &again}) {
        EngineRequest request = greedy("Once upon a time", 30, *to);
        request.sampling.temperature = 1.5f;
        request.sampling.seed = 11;
        request.choices = 3;
        ASSERT_TRUE(engine_->submit(std::move(request)).ok());
    }
    EXPECT_EQ(answer.usage().completion_tokens, 90u);
    EXPECT_NE(answer.tokens(0), answer.tokens(1));
    EXPECT_NE(answer.tokens(1), answer.tokens(2));
    for (uint32_t choice = 0; choice < 3; ++choice)
        EXPECT_EQ(answer.tokens(choice), again.tokens(choice)) << choice;
}

TEST_F(EngineTest, a_stop_string_ends_the_answer_and_is_cut_off) {
    Answer answer;
    EngineRequest request = greedy("Once upon a time", 60, answer);
    request.stop.strings = {"named Lily"};
    ASSERT_TRUE(engine_->submit(std::move(request)).ok());
    EXPECT_EQ(answer.text(), ", there was a little girl ");
    EXPECT_EQ(answer.end().reason, FinishReason::stop);
    EXPECT_EQ(answer.end().stop_string, "named Lily");
}

TEST_F(EngineTest, max_tokens_ends_with_length) {
    Answer answer;
    ASSERT_TRUE(engine_->submit(greedy("Once upon a time", 5, answer)).ok());
    EXPECT_EQ(answer.tokens().size(), 5u);
    EXPECT_EQ(answer.end().reason, FinishReason::length);
}

TEST_F(EngineTest, the_context_ends_an_answer_without_max_tokens) {
    Answer answer;
    ASSERT_TRUE(engine_->submit(greedy("Once upon a time", 0, answer)).ok());
    EXPECT_EQ(answer.usage().prompt_tokens + answer.usage().completion_tokens, facts_.max_context);
    EXPECT_EQ(answer.end().reason, FinishReason::length);
}

TEST_F(EngineTest, a_prompt_over_the_context_is_refused_with_the_limit) {
    Answer answer;
    EngineRequest request = greedy("a", 1, answer);
    request.prompt.assign(600, TokenId{5});
    ASSERT_TRUE(engine_->submit(std::move(request)).ok());
    EXPECT_THAT(answer.error(), testing::HasSubstr("600"));
    EXPECT_THAT(answer.error(), testing::HasSubstr("512"));
}

TEST_F(EngineTest, a_full_queue_refuses_and_serves_the_rest) {
    start({.max_running = 1, .max_waiting = 2});
    std::vector<Answer> answers(40);
    for (Answer& answer : answers)
        ASSERT_TRUE(engine_->submit(greedy("Once upon a time", 100, answer)).ok());
    size_t served = 0, refused = 0;
    for (Answer& answer : answers)
        (answer.error().empty() ? served : refused) += 1;
    EXPECT_GE(served, 2u);
    EXPECT_GT(refused, 0u);
    engine_->stop();  // the last snapshot is the final one
    EXPECT_EQ(engine_->snapshot().requests_failed, refused);
}

TEST_F(EngineTest, cancelling_frees_the_blocks_and_ends_the_events) {
    Answer answer;
    const auto id = engine_->submit(greedy("Once upon a time", 450, answer));
    ASSERT_TRUE(id.ok());
    answer.wait_for_events(3);
    engine_->cancel(*id);
    // The next request is served after the cancel: when it is done, so is the cancelling.
    (void)greedy_text("The dog", 2);
    engine_->stop();  // the last snapshot is the final one
    const EngineSnapshot after = engine_->snapshot();
    EXPECT_EQ(after.requests_cancelled, 1u);
    EXPECT_EQ(after.requests_failed, 0u);
    EXPECT_EQ(after.sched.running, 0u);
}

TEST_F(EngineTest, logprobs_of_greedy_tokens_are_the_greatest) {
    Answer answer;
    EngineRequest request = greedy("Once upon a time", 10, answer);
    request.logprobs = {.wanted = true, .top = 3};
    ASSERT_TRUE(engine_->submit(std::move(request)).ok());
    for (const EngineEvent& event : answer.wait()) {
        const auto* token = std::get_if<TokenEvent>(&event);
        if (!token) continue;
        ASSERT_EQ(token->top.size(), 3u);
        EXPECT_EQ(token->top[0].token, token->token);
        EXPECT_LE(token->logprob.logprob, 0.0f);
        EXPECT_GE(token->top[0].logprob, token->top[1].logprob);
    }
}

TEST_F(EngineTest, min_tokens_forbids_the_end) {
    Answer free, forced;
    for (Answer* to : {&free, &forced}) {
        EngineRequest request = greedy("Once upon a time", 30, *to);
        request.stop.tokens = {prompt(",").back()};  // the story's first token
        request.stop.min_tokens = to == &forced ? 20 : 0;
        ASSERT_TRUE(engine_->submit(std::move(request)).ok());
    }
    EXPECT_EQ(free.tokens().size(), 1u);
    EXPECT_GE(forced.tokens().size(), 20u);
}

TEST_F(EngineTest, stopping_fails_what_runs) {
    Answer answer;
    ASSERT_TRUE(engine_->submit(greedy("Once upon a time", 500, answer)).ok());
    engine_->stop();
    (void)answer.wait();  // ended one way or the other
    EXPECT_EQ(engine_->submit(greedy("x", 1, answer)).error().code, Code::unavailable);
}

TEST_F(EngineTest, loading_ends_when_its_listener_says_so) {
    std::vector<uint64_t> told;
    const auto started = start_engine(*model_, {}, nullptr, [&](uint64_t done, uint64_t) {
        told.push_back(done);
        return told.size() < 3;
    });
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().code, Code::cancelled);
    EXPECT_EQ(told.size(), 3u);
}

TEST_F(EngineTest, describes_itself_on_its_own_thread) {
    std::promise<std::string> text;
    ASSERT_TRUE(engine_->describe([&](std::string answer) { text.set_value(std::move(answer)); }));
    EXPECT_FALSE(text.get_future().get().empty());
}

}  // namespace
}  // namespace brigada
