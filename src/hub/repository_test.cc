#include "hub/repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hub/scratch_folder.h"

namespace brigada {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const HubReference kRepo{"org/m", "main", ""};

std::vector<RepositoryFile> files(std::vector<std::string> paths) {
    std::vector<RepositoryFile> out;
    for (std::string& path : paths)
        out.push_back({.path = std::move(path), .bytes = 1});
    return out;
}

std::vector<std::string> paths_of(const Selection& selection) {
    std::vector<std::string> out;
    for (const RepositoryFile& file : selection.files)
        out.push_back(file.path);
    return out;
}

TEST(Repository, reads_the_hubs_list_and_leaves_out_what_would_leave_the_folder) {
    const auto list = parse_repository_list(R"([
        {"type": "directory", "path": "onnx"},
        {"type": "file", "path": "m.gguf", "size": 9, "lfs": {"oid": "ab", "size": 9}},
        {"type": "file", "path": "../../.bashrc", "size": 9},
        {"type": "file", "path": "/etc/passwd", "size": 9},
        {"type": "file", "path": "config.json", "size": 7, "oid": "git"},
        {"type": "file"}, 7, null])",
                                            "list");
    ASSERT_TRUE(list.ok());
    ASSERT_EQ(list->size(), 2u);
    EXPECT_EQ(list->at(0).path, "m.gguf");
    EXPECT_EQ(list->at(0).sha256, "ab");
    EXPECT_EQ(list->at(0).bytes, 9u);
    EXPECT_EQ(list->at(1).sha256, "");
}

TEST(Repository, refuses_what_is_no_list) {
    for (const char* text : {"", "<html>", "{}", "[", "{\"error\": \"x\"}"})
        EXPECT_EQ(parse_repository_list(text, "list").error().code, Code::corrupt) << text;
}

TEST(Repository, selects_the_only_gguf) {
    const auto selection = select_files(files({"README.md", "q4/m.gguf", "config.json"}), kRepo);
    EXPECT_EQ(selection->open, "q4/m.gguf");
    EXPECT_THAT(paths_of(*selection), ElementsAre("q4/m.gguf"));
}

TEST(Repository, asks_which_of_several_ggufs) {
    const auto selection = select_files(files({"a.gguf", "b.gguf"}), kRepo);
    EXPECT_EQ(selection.error().code, Code::invalid_argument);
    EXPECT_THAT(selection.error().message, HasSubstr("org/m/b.gguf"));
}

TEST(Repository, selects_safetensors_with_what_they_need) {
    const auto selection =
        select_files(files({"README.md", "config.json", "model-00001-of-00002.safetensors",
                            "model-00002-of-00002.safetensors", "model.safetensors.index.json",
                            "onnx/model.safetensors", "pytorch_model.bin", "tokenizer.json"}),
                     kRepo);
    EXPECT_EQ(selection->open, "");
    EXPECT_THAT(paths_of(*selection),
                ElementsAre("config.json", "model-00001-of-00002.safetensors",
                            "model-00002-of-00002.safetensors", "model.safetensors.index.json",
                            "tokenizer.json"));
}

TEST(Repository, says_when_there_is_nothing_to_run) {
    EXPECT_EQ(select_files(files({"config.json", "pytorch_model.bin"}), kRepo).error().code,
              Code::unsupported);
    EXPECT_FALSE(select_files({}, kRepo).ok());
}

TEST(HubSettings, come_from_the_environment) {
    const ScopedEnvironment endpoint("HF_ENDPOINT", "http://127.0.0.1:1/");
    const ScopedEnvironment token("HF_TOKEN", "t");
    const HubSettings hub = HubSettings::from_environment();
    EXPECT_EQ(file_url(hub, kRepo, "m.gguf"), "http://127.0.0.1:1/org/m/resolve/main/m.gguf");
    EXPECT_EQ(hub.token, "t");
    const ScopedEnvironment none("HF_ENDPOINT", nullptr);
    EXPECT_EQ(HubSettings::from_environment().endpoint, "");
}

}  // namespace
}  // namespace brigada
