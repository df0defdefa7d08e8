#include "model/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "model/dequantise.h"
#include "model/gguf.h"
#include "model/gguf_vocabulary.h"
#include "model/synthetic.h"
#include "model/test_files.h"
#include "tokens/tokenizer.h"

namespace brigada {
namespace {

Model open_or_die(const Path& path) {
    auto model = open_model(path);
    CHECK(model.ok(), model.ok() ? "" : model.error().message);
    return *std::move(model);
}

/// Row r of the output is row `order(r)` of `tensor`.
template <typename Order>
std::vector<float> with_rows(const Tensor& tensor, Order order) {
    const std::vector<float> all = dequantise(tensor);
    std::vector<float> out(all.size());
    const size_t cols = tensor.cols();
    for (size_t r = 0; r < tensor.rows(); ++r)
        std::copy_n(all.begin() + static_cast<ptrdiff_t>(order(r) * cols), cols,
                    out.begin() + static_cast<ptrdiff_t>(r * cols));
    return out;
}

/// Where row r of a query or key matrix with paired halves lies in one with adjacent pairs: number
/// i of the first half of a head at 2i, of the second at 2i + 1.
size_t adjacent_row(size_t r, size_t head_dim) {
    const size_t head = r / head_dim, i = r % head_dim, half = head_dim / 2;
    return head * head_dim + (i < half ? 2 * i : 2 * (i - half) + 1);
}

bool is_rotated(std::string_view name) {
    return name.ends_with("attn_q.weight") || name.ends_with("attn_k.weight");
}

TEST(Model, is_the_same_from_gguf_and_from_hugging_face) {
    const Model gguf = open_or_die(test_gguf("stories260K", "f32"));
    const Model hf = open_or_die(test_models() / "stories260K" / "hf");
    ASSERT_EQ(gguf.tensors().size(), 47u);
    ASSERT_EQ(hf.tensors().size(), 47u);
    const size_t head_dim = hf.config().head_dim;
    for (const Tensor& theirs : hf.tensors()) {
        SCOPED_TRACE(theirs.name);
        const Tensor& ours = gguf.tensor(theirs.name);
        ASSERT_EQ(ours.shape, theirs.shape);
        const bool rotated = is_rotated(theirs.name);
        const auto order = [&](size_t r) { return rotated ? adjacent_row(r, head_dim) : r; };
        EXPECT_EQ(with_rows(ours, order), dequantise(theirs));
    }
}

TEST(Model, in_bf16_and_f16_is_the_f32_one_rounded) {
    const Model exact = open_or_die(test_gguf("stories260K", "f32"));
    const Model half = open_or_die(test_gguf("stories260K", "f16"));
    const Model hf = open_or_die(test_models() / "stories260K" / "hf");
    const Model bf16 = open_or_die(test_models() / "stories260K" / "hf-bf16");
    const auto expect_near = [](const Model& a, const Model& b, float relative) {
        for (const Tensor& tensor : a.tensors()) {
            const auto x = dequantise(tensor), y = dequantise(b.tensor(tensor.name));
            ASSERT_EQ(x.size(), y.size());
            for (size_t i = 0; i < x.size(); ++i)
                ASSERT_NEAR(x[i], y[i], relative * std::abs(x[i]) + 6e-8f)
                    << tensor.name << " " << i;
        }
    };
    expect_near(exact, half, 0x1p-11f);
    expect_near(hf, bf16, 0x1p-8f);
}

TEST(Model, quantised_is_within_half_a_step_of_the_exact_one) {
    const Model exact = open_or_die(test_gguf("stories260K", "f32"));
    for (const auto& [kind, steps] : {std::pair("q8_0", 127.0f), std::pair("q4_0", 8.0f)}) {
        const Model quantised = open_or_die(test_gguf("stories260K", kind));
        for (const Tensor& tensor : quantised.tensors()) {
            const auto x = dequantise(exact.tensor(tensor.name)), y = dequantise(tensor);
            for (size_t i = 0; i < x.size(); i += 32) {
                float extreme = 0;
                const size_t end = std::min(i + 32, x.size());
                for (size_t j = i; j < end; ++j)
                    extreme = std::max(extreme, std::abs(x[j]));
                // Half a step, a whole one where Q4_0 has no +8, and the rounding of the f16 scale.
                const float bound =
                    extreme / steps * (steps == 8 ? 1.0f : 0.5f) * 1.01f + 1e-3f * extreme;
                for (size_t j = i; j < end; ++j)
                    ASSERT_NEAR(x[j], y[j], bound) << tensor.name << " " << j;
            }
        }
    }
}

TEST(Model, knows_its_vocabulary_and_where_generation_ends) {
    for (const Path& path :
         {test_gguf("stories260K", "q4_0"), test_models() / "stories260K" / "hf"}) {
        SCOPED_TRACE(path.string());
        const Model model = open_or_die(path);
        EXPECT_EQ(model.tokenizer().size(), 512u);
        EXPECT_EQ(model.tokenizer().bos(), TokenId{1});
        EXPECT_EQ(model.tokenizer().eos(), TokenId{2});
        EXPECT_TRUE(std::ranges::equal(model.end_of_generation(), std::vector{TokenId{2}}));
        EXPECT_EQ(model.chat_template(), "");
        EXPECT_EQ(model.generation_defaults(), GenerationDefaults());
    }
}

TEST(Model, tokenises_alike_from_both_and_as_the_goldens_say) {
    const Model gguf = open_or_die(test_gguf("stories260K", "f16"));
    const Model hf = open_or_die(test_models() / "stories260K" / "hf");
    const auto text = read_file(test_models() / "stories260K" / "golden" / "golden.json", 1 << 20);
    const auto golden = parse_json(*text, "golden");
    ASSERT_TRUE(golden.ok());
    for (const Json& prompt : (*golden)["prompts"]) {
        Tokens expected;
        for (const uint32_t id : prompt["prompt_ids"])
            expected.push_back(TokenId{id});
        expected.erase(expected.begin());  // BOS, which encode does not add
        const auto words = prompt["prompt"].get<std::string>();
        EXPECT_EQ(gguf.tokenizer().encode(words, Specials::none), expected) << words;
        EXPECT_EQ(hf.tokenizer().encode(words, Specials::none), expected) << words;
    }
}

TEST(Model, opens_every_file_of_the_test_data) {
    for (const char* kind :
         {"f32", "f16", "q8_0", "q4_0", "ffn192-q8_0", "ffn192-q4_0", "as-qwen2-f32"})
        EXPECT_TRUE(open_model(test_gguf("stories260K", kind)).ok()) << kind;
    for (const char* kind : {"q8_0", "q4_0"})
        EXPECT_TRUE(open_model(test_gguf("shakespeare2M", kind)).ok()) << kind;
}

TEST(Model, says_that_a_path_is_no_model) {
    const auto model = open_model("/nowhere/x");
    EXPECT_EQ(model.error().code, Code::not_found);
    EXPECT_EQ(model.error().message,
              "/nowhere/x: no such model; a .gguf file, or a directory with config.json and "
              "safetensors, is needed");
}

// --- what make refuses -----------------------------------------------------------------------

ModelConfig tiny_config() {
    ModelConfig c;
    c.architecture = Architecture::qwen3;
    c.vocab = 260;
    c.d_model = 32;
    c.layers = 2;
    c.heads = 4;
    c.kv_heads = 2;
    c.head_dim = 8;
    c.d_ff = 64;
    c.max_context = 64;
    c.qk_norm = true;
    c.tied_embeddings = true;
    c.rope = Rope{.theta = 1e4, .dims = 8};
    c.layer_kinds.assign(2, FullAttention{});
    return c;
}

/// A tiny synthetic model, its parts free to be spoiled.
/// IQ4_NL has blocks of the same size as Q4_0, so a type number makes one of the other.
TEST(Model, of_a_type_that_does_not_run_here_is_refused_by_name) {
    std::vector<std::byte> bytes = test_bytes(test_gguf("stories260K", "q4_0"));
    const std::string name = "blk.2.attn_q.weight";
    const auto at = std::ranges::search(bytes, std::as_bytes(std::span(name)));
    ASSERT_FALSE(at.empty());
    std::byte* const type = std::to_address(at.end()) + 4 + 2 * 8;  // behind the rank and the shape
    ASSERT_EQ(*type, std::byte{2});
    *type = std::byte{20};
    const Path path = Path(testing::TempDir()) / "iq4_nl.gguf";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    const auto model = open_model(path);
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.error().code, Code::unsupported);
    EXPECT_TRUE(model.error().message.starts_with(
        path.string() + ": tensor \"blk.2.attn_q.weight\": type IQ4_NL does not run here"))
        << model.error().message;
}

class ModelMake : public testing::Test {
  protected:
    ModelMake() : bytes_(synthetic_gguf(tiny_config(), {}).to_bytes()) {
        const auto file = GgufFile::parse(bytes_, "tiny");
        CHECK(file.ok());
        parts_.path = "tiny";
        parts_.config = *config_from_gguf(*file);
        parts_.tensors.assign(file->tensors().begin(), file->tensors().end());
        parts_.tokenizer =
            std::make_unique<Tokenizer>(*Tokenizer::from_spec(*vocabulary_from_gguf(*file)));
    }

    Tensor& tensor(std::string_view name) {
        return *std::ranges::find(parts_.tensors, name, &Tensor::name);
    }
    Result<Model> make() { return Model::make(std::move(parts_)); }

    std::vector<std::byte> bytes_;
    Model::Parts parts_;
};

TEST_F(ModelMake, accepts_what_is_whole) {
    parts_.end_of_generation = {TokenId{9}, TokenId{2}, TokenId{9}};
    const auto model = make();
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_TRUE(std::ranges::is_sorted(model->tensors(), {}, &Tensor::name));
    EXPECT_EQ(&model->output(), &model->tensor("token_embd.weight"));
    EXPECT_TRUE(
        std::ranges::equal(model->end_of_generation(), std::vector{TokenId{2}, TokenId{9}}));
}

TEST_F(ModelMake, names_a_tensor_that_is_missing) {
    tensor("blk.1.attn_k_norm.weight").name = "blk.9.attn_k_norm.weight";
    const auto model = make();
    EXPECT_EQ(model.error().code, Code::corrupt);
    EXPECT_EQ(model.error().message,
              "tiny: has no tensor blk.1.attn_k_norm.weight of shape [8], which its config needs");
}

TEST_F(ModelMake, names_a_tensor_of_the_wrong_shape) {
    tensor("blk.0.attn_k.weight").shape = {32, 16};
    EXPECT_EQ(make().error().message,
              "tiny: tensor blk.0.attn_k.weight has shape [32, 16]; its config needs [16, 32]");
}

TEST_F(ModelMake, refuses_a_weight_that_it_would_not_use) {
    Tensor extra = tensor("blk.0.attn_norm.weight");
    extra.name = "blk.0.post_ffw_norm.weight";
    parts_.tensors.push_back(extra);
    const auto model = make();
    EXPECT_EQ(model.error().code, Code::unsupported);
    EXPECT_EQ(model.error().message,
              "tiny: tensor \"blk.0.post_ffw_norm.weight\" is not part of a qwen3 model as it runs "
              "here");
}

TEST_F(ModelMake, refuses_a_tensor_that_occurs_twice) {
    parts_.tensors.push_back(tensor("output_norm.weight"));
    EXPECT_EQ(make().error().message, "tiny: tensor \"output_norm.weight\" occurs twice");
}

TEST_F(ModelMake, refuses_ids_that_the_embedding_does_not_have) {
    parts_.end_of_generation = {TokenId{260}};
    EXPECT_EQ(make().error().message,
              "tiny: end-of-generation id 260 is not below the vocabulary's 260");
}

// --- directories -----------------------------------------------------------------------------

/// A copy of the Hugging Face test model, its files free to be replaced.
class HuggingFaceModel : public testing::Test {
  protected:
    void SetUp() override {
        directory_ = testing::TempDir() + "brigada_hf_" +
                     testing::UnitTest::GetInstance()->current_test_info()->name();
        std::filesystem::remove_all(directory_);
        std::filesystem::copy(test_models() / "stories260K" / "hf", directory_);
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    void write(const std::string& name, std::string_view text) {
        std::ofstream(directory_ / name, std::ios::binary) << text;
    }
    std::string message() {
        const auto model = open_model(directory_);
        return model.ok() ? "opened" : model.error().message;
    }

    Path directory_;
};

TEST_F(HuggingFaceModel, reads_generation_defaults_and_every_end_token) {
    write("generation_config.json",
          R"({"eos_token_id":[2,7,3],"temperature":0.6,"top_p":0.95,"top_k":20,"do_sample":true,)"
          R"("repetition_penalty":1.05,"min_p":null})");
    const Model model = open_or_die(directory_);
    EXPECT_TRUE(std::ranges::equal(model.end_of_generation(),
                                   std::vector{TokenId{2}, TokenId{3}, TokenId{7}}));
    const GenerationDefaults& d = model.generation_defaults();
    EXPECT_EQ(d.temperature, 0.6f);
    EXPECT_EQ(d.top_p, 0.95f);
    EXPECT_EQ(d.top_k, 20u);
    EXPECT_EQ(d.do_sample, true);
    EXPECT_EQ(d.repetition_penalty, 1.05f);
    EXPECT_EQ(d.min_p, std::nullopt);
}

TEST_F(HuggingFaceModel, takes_the_template_from_its_own_file_first) {
    write("tokenizer_config.json",
          R"({"bos_token":"<s>","eos_token":"</s>","chat_template":[)"
          R"({"name":"default","template":"old"},{"name":"tool_use","template":"tools"}]})");
    EXPECT_EQ(open_or_die(directory_).chat_template(), "old");
    write("chat_template.jinja", "new");
    const Model model = open_or_die(directory_);
    EXPECT_EQ(model.chat_template(), "new");
    EXPECT_EQ(model.chat_template("tool_use"), "tools");
    EXPECT_EQ(model.chat_template("rag"), "");
}

TEST_F(HuggingFaceModel, is_called_after_its_directory) {
    EXPECT_EQ(open_or_die(directory_).config().name, directory_.filename().string());
}

TEST_F(HuggingFaceModel, says_which_file_is_wrong) {
    write("generation_config.json", R"({"eos_token_id":"two"})");
    EXPECT_EQ(message(), (directory_ / "generation_config.json").string() +
                             ": eos_token_id has \"\\\"two\\\"\", which is no token id");
    write("generation_config.json", "{");
    EXPECT_NE(message().find("generation_config.json: not valid JSON"), std::string::npos);
    write("generation_config.json", "{}");
    EXPECT_EQ(message(), "opened");
    std::filesystem::remove(directory_ / "tokenizer.json");
    EXPECT_NE(message().find("tokenizer.json"), std::string::npos);
    std::filesystem::remove(directory_ / "model.safetensors");
    EXPECT_NE(message().find("has neither model.safetensors"), std::string::npos);
    std::filesystem::remove(directory_ / "config.json");
    EXPECT_NE(message().find("config.json"), std::string::npos);
}

}  // namespace
}  // namespace brigada
