#include "gateway/seen/gateway_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "base/json.h"

namespace brigada {
namespace {

class GatewayLogTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "gateway_log_XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::vector<std::string> lines() const {
        std::ifstream in(path());
        std::vector<std::string> out;
        for (std::string line; std::getline(in, line);)
            out.push_back(line);
        return out;
    }

    std::string path() const { return (folder_ / "door.log").string(); }

    std::filesystem::path folder_;
};

TEST_F(GatewayLogTest, writes_from_its_level_on_and_adds_to_what_is_there) {
    for (int run = 0; run < 2; ++run) {
        const auto log = GatewayLog::open({.level = LogLevel::warning, .file = path()});
        ASSERT_TRUE(log.ok()) << log.error().message;
        EXPECT_EQ((*log)->format(), LogFormat::json);  // a file is for machines
        EXPECT_FALSE((*log)->writes(LogLevel::info));
        (*log)->write((*log)->line(LogLevel::info, "quiet"));
        (*log)->write((*log)->line(LogLevel::warning, "loud").add("run", run));
    }
    const auto written = lines();
    ASSERT_EQ(written.size(), 2u);
    for (int run = 0; run < 2; ++run)
        EXPECT_EQ((*parse_json(written[static_cast<size_t>(run)], "line"))["run"], run);
}

TEST_F(GatewayLogTest, loses_nothing_that_fits_from_several_threads) {
    constexpr int kThreads = 4, kLines = 500;
    {
        auto log = GatewayLog::open({.file = path()});
        ASSERT_TRUE(log.ok());
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i)
            threads.emplace_back([&log] {
                for (int n = 0; n < kLines; ++n)
                    (*log)->write((*log)->line(LogLevel::info, "call").add("n", n));
            });
    }
    const auto written = lines();
    EXPECT_EQ(written.size(), size_t{kThreads * kLines});
    for (const std::string& line : written)
        EXPECT_TRUE(parse_json(line, "line").ok()) << line;
}

TEST_F(GatewayLogTest, drops_and_counts_instead_of_waiting_for_a_reader) {
    ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
    std::fstream both_ends(path(), std::ios::in | std::ios::out);  // so that opening does not wait
    constexpr int kLines = 2'000;                                  // a pipe holds 64 KB of them
    const std::string filling(400, 'x');
    std::jthread reader;
    {
        auto log = GatewayLog::open({.file = path()}, 16);
        ASSERT_TRUE(log.ok());
        for (int n = 0; n < kLines; ++n)
            (*log)->write((*log)->line(LogLevel::info, "call").add("filling", filling));
        EXPECT_GT((*log)->dropped(), 1'000u);
        reader = std::jthread([&both_ends](const std::stop_token& stop) {
            for (std::string line; !stop.stop_requested() && std::getline(both_ends, line);)
                if (line.find("\"last\"") != line.npos) return;
        });
        (*log)->write((*log)->line(LogLevel::info, "last"));
    }
}

TEST_F(GatewayLogTest, goes_on_in_a_new_file_when_the_old_one_was_moved_away) {
    const auto moved = folder_ / "door.log.1";
    {
        const auto log = GatewayLog::open({.file = path()});
        ASSERT_TRUE(log.ok());
        (*log)->write((*log)->line(LogLevel::info, "first"));
        for (auto written = lines(); written.empty(); written = lines())
            std::this_thread::yield();
        std::filesystem::rename(path(), moved);
        (*log)->reopen();
        (*log)->write((*log)->line(LogLevel::info, "second"));
    }
    ASSERT_EQ(lines().size(), 1u);
    EXPECT_THAT(lines()[0], testing::HasSubstr("second"));
    std::filesystem::rename(moved, path());
    ASSERT_EQ(lines().size(), 1u);
    EXPECT_THAT(lines()[0], testing::HasSubstr("first"));
}

TEST_F(GatewayLogTest, keeps_the_old_file_where_no_new_one_can_be_made) {
    {
        const auto log = GatewayLog::open({.file = path()});
        ASSERT_TRUE(log.ok());
        std::filesystem::rename(path(), folder_ / "moved");
        std::filesystem::create_directory(path());  // nothing can be written there
        (*log)->reopen();
        (*log)->write((*log)->line(LogLevel::info, "kept"));
    }
    std::filesystem::remove(path());
    std::filesystem::rename(folder_ / "moved", path());
    EXPECT_EQ(lines().size(), 1u);
}

TEST_F(GatewayLogTest, names_a_file_that_cannot_be_written) {
    std::ofstream(folder_ / "file") << "x";
    const auto under_a_file = GatewayLog::open({.file = (folder_ / "file" / "log").string()});
    ASSERT_FALSE(under_a_file.ok());
    EXPECT_THAT(under_a_file.error().message, testing::HasSubstr("brigada.log.file: can't write"));
}

}  // namespace
}  // namespace brigada
