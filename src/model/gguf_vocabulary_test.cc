#include "model/gguf_vocabulary.h"

#include <gtest/gtest.h>

#include <functional>

#include "model/gguf_writer.h"

namespace brigada {
namespace {

using Add = std::function<void(GgufWriter&)>;

Result<VocabularySpec> spec_with(const std::string& model, const std::vector<std::string>& pieces,
                                 const Add& add) {
    GgufWriter writer;
    writer.add_string("tokenizer.ggml.model", model);
    writer.add_strings("tokenizer.ggml.tokens", pieces);
    add(writer);
    const auto bytes = writer.to_bytes();
    TRY(GgufFile file, GgufFile::parse(bytes, "x"));
    return vocabulary_from_gguf(file);
}

TEST(GgufVocabulary, reads_a_byte_level_vocabulary) {
    const std::vector<std::string> pieces = {"a", "b", "ab", "<|im_end|>", "<|endoftext|>"};
    const std::vector<int32_t> types = {1, 1, 1, 3, 3};
    const std::vector<std::string> merges = {"a b"};
    const auto spec = spec_with("gpt2", pieces, [&](GgufWriter& w) {
        w.add_string("tokenizer.ggml.pre", "qwen2");
        w.add_strings("tokenizer.ggml.merges", merges);
        w.add_i32s("tokenizer.ggml.token_type", types);
        w.add_u32("tokenizer.ggml.eos_token_id", 3);
        w.add_u32("tokenizer.ggml.bos_token_id", 0xffffffff);
    });
    ASSERT_TRUE(spec.ok()) << spec.error().message;
    EXPECT_EQ(spec->kind, VocabularyKind::bpe_bytes);
    EXPECT_EQ(spec->pieces, pieces);
    EXPECT_EQ(spec->pre, "qwen2");
    ASSERT_EQ(spec->merges.size(), 1u);
    EXPECT_EQ(spec->merges[0].left, "a");
    EXPECT_EQ(spec->merges[0].right, "b");
    EXPECT_EQ(spec->eos, TokenId{3});
    EXPECT_EQ(spec->bos, std::nullopt);
    EXPECT_FALSE(spec->add_bos || spec->add_space_prefix || spec->byte_fallback);
    EXPECT_EQ(spec->ends, (Tokens{TokenId{3}, TokenId{4}}));  // both by name
}

TEST(GgufVocabulary, reads_what_sentencepiece_files_leave_out) {
    const std::vector<std::string> pieces = {"<unk>", "<s>", "</s>"};
    const auto spec = spec_with("llama", pieces,
                                [](GgufWriter& w) { w.add_u32("tokenizer.ggml.eot_token_id", 2); });
    ASSERT_TRUE(spec.ok()) << spec.error().message;
    EXPECT_EQ(spec->kind, VocabularyKind::bpe_spm);
    EXPECT_TRUE(spec->add_bos && spec->add_space_prefix && spec->byte_fallback);
    EXPECT_FALSE(spec->add_eos);
    EXPECT_EQ(spec->ends, Tokens{TokenId{2}});
}

TEST(GgufVocabulary, an_ordinary_piece_with_the_name_of_an_end_is_none) {
    const std::vector<int32_t> types = {1};
    const auto spec = spec_with("gpt2", {"<|im_end|>"}, [&](GgufWriter& w) {
        w.add_i32s("tokenizer.ggml.token_type", types);
    });
    EXPECT_TRUE(spec->ends.empty());
}

TEST(GgufVocabulary, says_what_is_wrong) {
    const auto message = [](const std::string& model, const Add& add) {
        const auto spec = spec_with(model, {"a", "b"}, add);
        return spec.ok() ? std::string("read") : spec.error().message;
    };
    EXPECT_EQ(message("bert", [](GgufWriter&) {}),
              "x: tokenizer \"bert\" is not read here; gpt2, llama and t5 are");
    EXPECT_EQ(message("gpt2", [](GgufWriter& w) { w.add_u32("tokenizer.ggml.eos_token_id", 2); }),
              "x: tokenizer.ggml.eos_token_id is 2; the vocabulary has 2 pieces");
    const std::vector<int32_t> types = {1, 9};
    EXPECT_EQ(
        message("gpt2", [&](GgufWriter& w) { w.add_i32s("tokenizer.ggml.token_type", types); }),
        "x: tokenizer.ggml.token_type has 9; 0 to 6 are types");
    const std::vector<std::string> merges = {"ab"};
    EXPECT_NE(
        message("gpt2", [&](GgufWriter& w) { w.add_strings("tokenizer.ggml.merges", merges); })
            .find("x: "),
        std::string::npos);
    const auto bytes = GgufWriter().to_bytes();
    EXPECT_EQ(vocabulary_from_gguf(*GgufFile::parse(bytes, "x")).error().message,
              "x: has no tokenizer.ggml.model");
}

TEST(GgufVocabulary, reads_templates_by_name_and_sampling_defaults) {
    const std::vector<std::string> names = {"tool_use", "absent"};
    GgufWriter writer;
    writer.add_string("tokenizer.chat_template", "plain");
    writer.add_string("tokenizer.chat_template.tool_use", "tools");
    writer.add_strings("tokenizer.chat_templates", names);
    writer.add_f32("general.sampling.temp", 0.5f);
    writer.add_u32("general.sampling.top_k", 40);
    const auto bytes = writer.to_bytes();
    const auto file = GgufFile::parse(bytes, "x");
    ASSERT_TRUE(file.ok());
    const auto templates = templates_from_gguf(*file);
    ASSERT_EQ(templates->size(), 2u);
    EXPECT_EQ((*templates)[0].source, "plain");
    EXPECT_EQ((*templates)[1].name, "tool_use");
    EXPECT_EQ((*templates)[1].source, "tools");
    const auto defaults = generation_defaults_from_gguf(*file);
    EXPECT_EQ(defaults->temperature, 0.5f);
    EXPECT_EQ(defaults->top_k, 40u);
    EXPECT_EQ(defaults->top_p, std::nullopt);
}

}  // namespace
}  // namespace brigada
