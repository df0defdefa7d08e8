#include "hub/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hub/disk.h"
#include "hub/scratch_folder.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

Manifest manifest_of(std::string_view file, uint64_t bytes) {
    return {"a test", std::string(file), {{std::string(file), bytes, "00"}}};
}

TEST(Cache, is_where_the_environment_says) {
    const ScopedEnvironment home("HOME", "/h");
    const ScopedEnvironment no_cache("BRIGADA_CACHE", nullptr);
    {
        const ScopedEnvironment no_xdg("XDG_CACHE_HOME", nullptr);
        EXPECT_EQ(Cache::from_environment()->models(), Path("/h/.cache/brigada/models"));
        const ScopedEnvironment homeless("HOME", nullptr);
        EXPECT_FALSE(Cache::from_environment().ok());
    }
    const ScopedEnvironment xdg("XDG_CACHE_HOME", "/x");
    EXPECT_EQ(Cache::from_environment()->models(), Path("/x/brigada/models"));
    const ScopedEnvironment ours("BRIGADA_CACHE", "/b");
    EXPECT_EQ(Cache::from_environment()->models(), Path("/b/models"));
    const ScopedEnvironment relative("BRIGADA_CACHE", "b");
    EXPECT_EQ(Cache::from_environment().error().code, Code::invalid_argument);
}

TEST(Cache, counts_a_model_only_with_its_manifest_and_all_its_bytes) {
    const ScratchFolder scratch;
    const Cache cache(scratch.path());
    scratch.write("models/org/m/a.gguf", "12345");
    EXPECT_FALSE(cache.find("org/m"));

    ASSERT_TRUE(cache.publish("org/m", manifest_of("a.gguf", 5)).ok());
    const auto found = cache.find("org/m");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->path, scratch.path() / "models/org/m/a.gguf");
    EXPECT_EQ(found->manifest.bytes(), 5u);
    EXPECT_EQ(found->manifest.source, "a test");

    scratch.write("models/org/m/a.gguf", "1234");
    EXPECT_FALSE(cache.find("org/m"));
}

TEST(Cache, ignores_a_manifest_that_is_not_one) {
    const ScratchFolder scratch;
    const Cache cache(scratch.path());
    scratch.write("models/m/a.gguf", "12345");
    for (const char* text :
         {"", "{", "[]", "null", "{}", R"({"source":"s","open":"a.gguf","files":[]})",
          R"({"source":"s","open":"../x","files":[{"path":"a.gguf","bytes":5,"sha256":""}]})",
          R"({"source":"s","open":"a.gguf","files":[{"path":"../a","bytes":5,"sha256":""}]})",
          R"({"source":"s","open":"a.gguf","files":[{"path":"a.gguf","bytes":-5,"sha256":""}]})",
          R"({"source":"s","open":"a.gguf","files":[{"path":"a.gguf","sha256":""}]})",
          R"({"source":1,"open":"a.gguf","files":[7]})"}) {
        scratch.write("models/m.manifest", text);
        EXPECT_FALSE(cache.find("m")) << text;
    }
}

TEST(Cache, lists_by_name_and_removes) {
    const ScratchFolder scratch;
    const Cache cache(scratch.path());
    EXPECT_TRUE(cache.list().empty());
    for (const char* key : {"zeta", "org/repo", "org/repo/file.gguf"}) {
        scratch.write(concat("models/", key, "/w.bin"), "123");
        ASSERT_TRUE(cache.publish(key, manifest_of("w.bin", 3)).ok());
    }
    std::vector<std::string> names;
    for (const CachedModel& model : cache.list())
        names.push_back(model.name);
    EXPECT_THAT(names, ::testing::ElementsAre("org/repo", "org/repo/file.gguf", "zeta"));

    ASSERT_TRUE(cache.remove("zeta").ok());
    EXPECT_FALSE(std::filesystem::exists(cache.folder("zeta")));
    EXPECT_EQ(cache.list().size(), 2u);
    EXPECT_EQ(cache.remove("zeta").error().code, Code::not_found);
    ASSERT_TRUE(cache.remove("org/repo").ok());
    EXPECT_TRUE(cache.find("org/repo/file.gguf"));
}

TEST(Cache, resolves_paths_and_pulled_models_and_tells_how_to_get_the_others) {
    const ScratchFolder scratch;
    const Cache cache(scratch.path());
    const Path file = scratch.write("here.gguf", "x");
    EXPECT_EQ(resolve_model(cache, file.string()).value(), file);
    EXPECT_EQ(resolve_model(cache, "./absent.gguf").error().code, Code::not_found);

    EXPECT_THAT(resolve_model(cache, "smollm2").error().message,
                HasSubstr("brigada model pull smollm2"));
    const CatalogueModel& model = *find_in_catalogue("smollm2");
    scratch.write(concat("models/smollm2/", model.file), "12");
    ASSERT_TRUE(cache.publish("smollm2", manifest_of(model.file, 2)).ok());
    EXPECT_EQ(resolve_model(cache, "smollm2").value(), cache.folder("smollm2") / model.file);
}

TEST(Disk, says_how_many_bytes_like_a_person) {
    EXPECT_EQ(human_bytes(0), "0 B");
    EXPECT_EQ(human_bytes(999), "999 B");
    EXPECT_EQ(human_bytes(1000), "1.0 kB");
    EXPECT_EQ(human_bytes(98'362'432), "98.4 MB");
    EXPECT_EQ(human_bytes(999'960'000), "1.0 GB");
    EXPECT_EQ(human_bytes(UINT64_MAX), "18.4 EB");
}

TEST(Disk, refuses_what_cannot_fit) {
    const ScratchFolder scratch;
    EXPECT_TRUE(require_space(scratch.path(), 1).ok());
    const auto refused = require_space(scratch.path(), UINT64_MAX);
    EXPECT_EQ(refused.error().code, Code::io);
    EXPECT_THAT(refused.error().message, HasSubstr("18.4 EB are needed"));
}

TEST(Disk, a_lock_is_taken_once) {
    const ScratchFolder scratch;
    const Path path = scratch.path() / "a" / "m.lock";
    {
        const auto first = FileLock::try_take(path).value();
        EXPECT_TRUE(first);
        EXPECT_FALSE(FileLock::try_take(path).value());
    }
    EXPECT_TRUE(FileLock::try_take(path).value());
}

}  // namespace
}  // namespace brigada
