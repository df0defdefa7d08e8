#include "cli/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"

namespace brigada {
namespace {

std::filesystem::path fresh(const std::string& name) {
    const auto path = std::filesystem::path(testing::TempDir()) / ("output_file_" + name);
    std::filesystem::remove(path);
    return path;
}

std::string content(const std::filesystem::path& path) {
    return read_file(path, 1'000).value();
}

TEST(OutputFile, keeps_what_is_there_until_it_writes_and_then_holds_nothing_else) {
    const auto path = fresh("kept");
    write_file(path, "a longer text of an earlier run").value();
    {
        auto file = OutputFile::open(path);
        ASSERT_TRUE(file.ok());
        EXPECT_EQ(content(path), "a longer text of an earlier run");
        ASSERT_TRUE(file->write("short").ok());
        EXPECT_EQ(content(path), "short");
    }
    {
        ASSERT_TRUE(OutputFile::open(path).ok()) << "opened and never written";
    }
    EXPECT_EQ(content(path), "short");
}

TEST(OutputFile, leaves_nothing_behind_that_it_has_not_written) {
    const auto path = fresh("unwritten");
    {
        auto file = OutputFile::open(path);
        ASSERT_TRUE(file.ok());
        EXPECT_TRUE(std::filesystem::exists(path));
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(OutputFile, says_at_once_which_path_cannot_be_written_and_why) {
    const auto missing = OutputFile::open("/no/such/folder/report.json");
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().message,
              "/no/such/folder/report.json: cannot be written: No such file or directory");
    EXPECT_FALSE(OutputFile::open(testing::TempDir()).ok()) << "a folder";
}

TEST(OutputFile, takes_pieces_and_replaces_what_was_there_with_the_first) {
    const auto path = fresh("pieces");
    write_file(path, "what an earlier run wrote").value();
    auto file = OutputFile::open(path);
    ASSERT_TRUE(file.ok());
    file->add("one");
    EXPECT_EQ(content(path), "one");
    file->add(" two");
    ASSERT_TRUE(file->finish().ok());
    EXPECT_EQ(content(path), "one two");
}

TEST(OutputFile, a_dash_is_standard_output_which_stays_open) {
    testing::internal::CaptureStdout();
    for (const char* text : {"one ", "two "}) {
        auto file = OutputFile::open("-");
        ASSERT_TRUE(file.ok());
        ASSERT_TRUE(file->write(text).ok());
    }
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "one two ");
}

TEST(OutputFile, a_full_device_is_an_error_and_no_path_is_none) {
    auto full = OutputFile::open("/dev/full");
    ASSERT_TRUE(full.ok());
    EXPECT_EQ(full->write("text").error().message,
              "/dev/full: cannot be written: No space left on device");
    EXPECT_TRUE(write_file("", "text").ok());
}

}  // namespace
}  // namespace brigada
