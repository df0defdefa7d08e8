// Answers held to a grammar, by a real model that knows nothing of JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "engine/choice.h"
#include "engine/grammar_book.h"
#include "engine/test_model.h"
#include "grammar/grammar_spec.h"

namespace brigada {
namespace {

using Kind = GrammarSpec::Kind;

std::shared_ptr<const Grammar> grammar_of(Kind kind, std::string text) {
    auto grammar = compile_grammar({.kind = kind, .text = std::move(text), .field = "test"});
    CHECK(grammar.ok(), grammar.error().message);
    return *std::move(grammar);
}

/// A choice fed with logits that are made up: what it draws is what the mask, the ends and the seed
/// say.
class Answering {
  public:
    Answering(std::shared_ptr<const Grammar> grammar, StopRules stop = {}, uint64_t seed = 0)
        : model_(open_model(model_path("stories260K/gguf/stories260K-f32.gguf")).value()),
          book_(model_.tokenizer()) {
        EngineRequest request;
        request.stop = std::move(stop);
        request.sampling.temperature = 1.5f;
        request.sampling.seed = seed;
        const AnswerContext context{model_.tokenizer(), model_.end_of_generation(),
                                    elementwise_kernels(Isa::portable)};
        choice_.emplace(context, 0, request, seed, book_.masks_of(grammar));
    }

    /// Until it stops, or for `most` tokens. `loud` tokens are what the model would rather say.
    std::string run(size_t most, std::span<const TokenId> loud = {}) {
        Rng rng(7);
        std::string text;
        for (size_t i = 0; i < most && !stopped_; ++i) {
            std::vector<float> logits(model_.config().vocab);
            for (float& logit : logits)
                logit = static_cast<float>(rng.uniform());
            for (TokenId token : loud)
                logits[raw(token)] = 8;
            const Choice::Step step = choice_->next(logits);
            text += step.event.text;
            stopped_ = step.stopped;
            ended_by_token_ = step.event.ends_answer;
            ++tokens_;
        }
        const ChoiceFinished end = choice_->finish();
        reason_ = end.reason;
        return text + end.text;
    }

    const Model& model() const { return model_; }
    FinishReason reason() const { return reason_; }
    bool ended_by_token() const { return ended_by_token_; }
    size_t tokens() const { return tokens_; }

  private:
    Model model_;
    GrammarBook book_;
    std::optional<Choice> choice_;
    bool stopped_ = false, ended_by_token_ = false;
    size_t tokens_ = 0;
    FinishReason reason_{};
};

TEST(GrammarAnswers, are_json_of_the_schema_whatever_the_model_would_say) {
    const auto grammar = grammar_of(Kind::json_schema, R"({"type": "object", "properties": {
        "name": {"type": "string", "maxLength": 12}, "age": {"type": "integer", "minimum": 0,
        "maximum": 150}, "kind": {"enum": ["cat", "dog"]}, "tags": {"type": "array", "items":
        {"type": "string", "pattern": "^[a-z]{1,5}$"}, "maxItems": 3}},
        "required": ["name", "age", "kind", "tags"], "additionalProperties": false})");
    for (uint64_t seed = 0; seed < 20; ++seed) {
        Answering answering(grammar, {}, seed);
        const std::string text = answering.run(400);
        EXPECT_EQ(answering.reason(), FinishReason::stop);
        EXPECT_FALSE(answering.ended_by_token());  // nothing could follow
        const auto value = parse_json(text, "answer");
        ASSERT_TRUE(value.ok()) << text;
        EXPECT_LE((*value)["age"].get<int>(), 150);
        EXPECT_THAT((*value)["kind"].get<std::string>(), testing::AnyOf("cat", "dog"));
        EXPECT_LE((*value)["tags"].size(), 3u);
    }
}

TEST(GrammarAnswers, end_by_token_exactly_when_the_text_may_end) {
    const auto grammar = grammar_of(Kind::regex, "[ab]{3,}");
    Answering answering(grammar);
    const auto ends = answering.model().end_of_generation();
    const std::string text = answering.run(100, ends);  // ends are what it would say at once
    EXPECT_TRUE(answering.ended_by_token());
    EXPECT_EQ(answering.reason(), FinishReason::stop);
    EXPECT_GE(text.size(), 3u);
    EXPECT_EQ(text.find_first_not_of("ab"), text.npos) << text;
}

TEST(GrammarAnswers, min_tokens_holds_while_the_text_can_go_on) {
    const auto open = grammar_of(Kind::regex, "a+");
    Answering longer(open, {.min_tokens = 9});
    longer.run(100, longer.model().end_of_generation());
    EXPECT_EQ(longer.tokens(), 10u);
    Answering complete(grammar_of(Kind::choice, R"(["yes"])"),
                       {.ignore_eos = true, .min_tokens = 9});
    EXPECT_EQ(complete.run(100), "yes");
    EXPECT_EQ(complete.reason(), FinishReason::stop);
}

TEST(GrammarAnswers, a_stop_string_or_a_cut_may_leave_them_unfinished) {
    const auto grammar = grammar_of(Kind::gbnf, R"(root ::= "{" [a-z]{20} "}")");
    Answering cut(grammar);
    EXPECT_EQ(cut.run(2).find('}'), std::string::npos);
    EXPECT_EQ(cut.reason(), FinishReason::length);
    Answering stopped(grammar_of(Kind::choice, R"(["one END two"])"), {.strings = {"END"}});
    EXPECT_EQ(stopped.run(100), "one ");
    EXPECT_EQ(stopped.reason(), FinishReason::stop);
}

TEST(GrammarAnswers, stop_tokens_of_the_request_wait_for_the_end_of_the_text) {
    Answering probe(grammar_of(Kind::choice, R"(["a"])"));
    const auto letter = probe.model().tokenizer().find("a");
    ASSERT_TRUE(letter);
    Answering answering(grammar_of(Kind::regex, "b{2}[ab]*"), {.tokens = {*letter}});
    const std::string text = answering.run(200, std::array{*letter});
    EXPECT_TRUE(answering.ended_by_token());
    EXPECT_GE(text.size(), 2u);
    EXPECT_EQ(text.substr(0, 2), "bb");
}

TEST(GrammarBook, keeps_the_grammars_asked_for_last) {
    const Model model = open_model(model_path("stories260K/gguf/stories260K-f32.gguf")).value();
    GrammarBook book(model.tokenizer());
    EXPECT_EQ(book.masks_of(nullptr), nullptr);
    std::vector<std::shared_ptr<const Grammar>> grammars;
    for (size_t i = 0; i <= kMaxOpenGrammars; ++i)
        grammars.push_back(grammar_of(Kind::regex, concat("a{", i + 1, "}")));
    const auto first = book.masks_of(grammars[0]);
    const auto second = book.masks_of(grammars[1]);
    for (size_t i = 2; i < kMaxOpenGrammars; ++i)
        book.masks_of(grammars[i]);
    EXPECT_EQ(book.masks_of(grammars[0]), first);
    book.masks_of(grammars[kMaxOpenGrammars]);
    EXPECT_EQ(book.masks_of(grammars[0]), first);
    EXPECT_NE(book.masks_of(grammars[1]), second);
}

}  // namespace
}  // namespace brigada
