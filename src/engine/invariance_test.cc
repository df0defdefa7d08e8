// What a sequence is answered must not depend on what else is in the batch, on how its prompt was
// cut into chunks, on the number of threads, or on whether its KV came from the cache: bit for bit.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "engine/test_model.h"

namespace brigada {
namespace {

const char* const kFiles[] = {"stories260K/gguf/stories260K-f32.gguf",
                              "stories260K/gguf/stories260K-q8_0.gguf",
                              "shakespeare2M/gguf/shakespeare2M-q4_0.gguf"};

Tokens random_tokens(Rng& rng, size_t count, size_t vocab) {
    Tokens out;
    for (size_t i = 0; i < count; ++i)
        out.push_back(TokenId{static_cast<uint32_t>(rng.below(vocab))});
    return out;
}

class InvarianceTest : public testing::TestWithParam<std::tuple<const char*, Isa>> {
  protected:
    TransformerOptions options(unsigned threads) const {
        return {.threads = threads, .isa = std::get<1>(GetParam())};
    }
    Path path() const { return model_path(std::get<0>(GetParam())); }
};

TEST_P(InvarianceTest, any_chunking_gives_the_same_logits) {
    TestModel model(path(), options(2));
    Rng rng(1);
    const Tokens tokens = random_tokens(rng, 150, model.transformer().vocab());
    const auto whole = model.run(tokens);
    for (int round = 0; round < 5; ++round) {
        std::vector<float> last;
        for (size_t at = 0; at < tokens.size();) {
            const size_t count = std::min<size_t>(tokens.size() - at, 1 + rng.below(40));
            last = model.run(std::span(tokens).subspan(at, count), static_cast<uint32_t>(at));
            at += count;
        }
        ASSERT_EQ(whole, last);
    }
}

TEST_P(InvarianceTest, one_thread_and_two_give_the_same_logits) {
    TestModel one(path(), options(1));
    TestModel two(path(), options(2));
    Rng rng(2);
    const Tokens tokens = random_tokens(rng, 90, one.transformer().vocab());
    EXPECT_EQ(one.run(tokens), two.run(tokens));
}

/// Several sequences in one batch, each with its own blocks, against each alone.
TEST_P(InvarianceTest, neighbours_in_the_batch_change_nothing) {
    TestModel model(path(), options(2));
    TestModel alone(path(), options(2));
    const size_t vocab = model.transformer().vocab();
    Rng rng(3);
    constexpr uint32_t kBlocksEach = 8;
    std::vector<Tokens> prompts;
    StepBatch batch;
    for (uint32_t i = 0; i < 5; ++i)
        prompts.push_back(random_tokens(rng, 1 + rng.below(100), vocab));
    for (uint32_t i = 0; i < 5; ++i)
        batch.add({.tokens = prompts[i],
                   .first_position = 0,
                   .blocks = model.table().subspan(i * kBlocksEach, kBlocksEach),
                   .wants_logits = true});
    std::vector<float> logits(5 * vocab);
    model.transformer().forward(batch, logits.data());
    for (uint32_t i = 0; i < 5; ++i) {
        const std::vector<float> together(logits.begin() + i * vocab,
                                          logits.begin() + (i + 1) * vocab);
        ASSERT_EQ(alone.run(prompts[i]), together) << "sequence " << i;
    }
}

/// A copied block is as good as the one it was copied from.
TEST_P(InvarianceTest, a_fork_on_copied_blocks_goes_on_alike) {
    TestModel model(path(), options(2));
    Rng rng(4);
    const Tokens tokens = random_tokens(rng, 41, model.transformer().vocab());
    (void)model.run(std::span(tokens).first(40));
    for (uint32_t i = 0; i < 3; ++i)
        model.transformer().copy_block(BlockId{i}, BlockId{i + 10});
    StepBatch batch;
    batch.add({.tokens = std::span(tokens).last(1),
               .first_position = 40,
               .blocks = model.table().subspan(10, 3),
               .wants_logits = true});
    std::vector<float> forked(model.transformer().vocab());
    model.transformer().forward(batch, forked.data());
    EXPECT_EQ(forked, model.run(std::span(tokens).last(1), 40));
}

INSTANTIATE_TEST_SUITE_P(Models, InvarianceTest,
                         testing::Combine(testing::ValuesIn(kFiles),
                                          testing::ValuesIn(runnable_isas())));

}  // namespace
}  // namespace brigada
