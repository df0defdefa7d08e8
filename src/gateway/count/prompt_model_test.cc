#include "gateway/count/prompt_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace brigada {
namespace {

class PromptModelTest : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("brigada-" + std::to_string(::getpid()) + "-" +
                   testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder_);
        std::filesystem::copy(Path(BRIGADA_TESTDATA) / "models/stories260K/hf/tokenizer.json",
                              folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void write(const char* name, const char* text) { std::ofstream(folder_ / name) << text; }

    Path folder_;
};

TEST_F(PromptModelTest, reads_a_folder_and_the_file_in_it) {
    write("tokenizer_config.json",
          R"({"bos_token": {"content": "<s>"}, "eos_token": "</s>",)"
          R"( "chat_template": [{"name": "tool_use", "template": "no"},)"
          R"( {"name": "default", "template": "{{ bos_token }}a{{ eos_token }}"}]})");
    for (const Path& path : {folder_, folder_ / "tokenizer.json"}) {
        const auto model = open_prompt_model({.path = path});
        ASSERT_TRUE(model.ok()) << model.error().message;
        EXPECT_EQ(model->chat_template->render({.messages = Json::array()}).value(), "<s>a</s>");
    }
}

TEST_F(PromptModelTest, prefers_the_template_of_a_file_and_of_the_configuration) {
    write("tokenizer_config.json", R"({"chat_template": "config"})");
    write("chat_template.jinja", "file");
    EXPECT_EQ(open_prompt_model({.path = folder_})->template_source, "file");
    EXPECT_EQ(open_prompt_model({.path = folder_, .chat_template = "mine"})->template_source,
              "mine");
}

TEST_F(PromptModelTest, has_chatml_only_where_it_is_asked_for) {
    EXPECT_FALSE(open_prompt_model({.path = folder_})->chat_template);
    EXPECT_TRUE(open_prompt_model({.path = folder_, .chatml_if_none = true})->chat_template);
}

TEST_F(PromptModelTest, reads_a_gguf) {
    const auto model = open_prompt_model(
        {.path = Path(BRIGADA_TESTDATA) / "models/stories260K/gguf/stories260K-f16.gguf"});
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_EQ(model->tokenizer.size(), 512u);
}

TEST_F(PromptModelTest, names_the_file_that_is_wrong) {
    write("tokenizer_config.json", "{");
    const auto broken = open_prompt_model({.path = folder_});
    ASSERT_FALSE(broken.ok());
    EXPECT_NE(broken.error().message.find("tokenizer_config.json"), std::string::npos);
    const auto absent = open_prompt_model({.path = folder_ / "none.json"});
    ASSERT_FALSE(absent.ok());
    EXPECT_NE(absent.error().message.find("none.json"), std::string::npos);
}

}  // namespace
}  // namespace brigada
