#include "model/safetensors.h"

#include <gtest/gtest.h>

#include <fstream>

#include "model/dequantise.h"
#include "model/test_files.h"

namespace brigada {
namespace {

/// A length, this header, and `data_bytes` bytes counting up from 0.
std::vector<std::byte> file_of(std::string_view header, size_t data_bytes) {
    std::vector<std::byte> out(8 + header.size() + data_bytes);
    const uint64_t length = header.size();
    std::memcpy(out.data(), &length, 8);
    std::memcpy(out.data() + 8, header.data(), header.size());
    for (size_t i = 0; i < data_bytes; ++i)
        out[8 + header.size() + i] = static_cast<std::byte>(i);
    return out;
}

std::string message_of(std::string_view header, size_t data_bytes) {
    const auto bytes = file_of(header, data_bytes);
    const auto file = SafetensorsFile::parse(bytes, "x");
    if (file.ok()) return "read";
    EXPECT_EQ(file.error().code, Code::corrupt);
    return file.error().message;
}

TEST(SafetensorsFile, reads_tensors_sorted_by_name_and_keeps_others_apart) {
    const auto bytes = file_of(R"({"__metadata__":{"format":"pt"},)"
                               R"("b":{"dtype":"BF16","shape":[2,1],"data_offsets":[4,8]},)"
                               R"("a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)"
                               R"("scalar":{"dtype":"F32","shape":[],"data_offsets":[8,12]},)"
                               R"("none":{"dtype":"F32","shape":[0,3],"data_offsets":[12,12]},)"
                               R"("mask":{"dtype":"U8","shape":[1],"data_offsets":[12,13]}})",
                               13);
    const auto file = SafetensorsFile::parse(bytes, "x");
    ASSERT_TRUE(file.ok()) << file.error().message;
    ASSERT_EQ(file->tensors().size(), 4u);
    EXPECT_EQ(file->tensors()[0].name, "a");
    EXPECT_EQ(file->tensor("b")->shape, (std::vector<uint64_t>{2, 1}));
    EXPECT_EQ(file->tensor("b")->data[0], std::byte{4});
    EXPECT_EQ(file->tensor("scalar")->elements(), 1u);
    EXPECT_EQ(file->tensor("none")->elements(), 0u);
    EXPECT_EQ(file->tensor("mask"), nullptr);
    ASSERT_EQ(file->unread().size(), 1u);
    EXPECT_EQ(file->unread()[0].dtype, "U8");
}

TEST(SafetensorsFile, says_what_is_wrong_with_a_hostile_file) {
    EXPECT_EQ(SafetensorsFile::parse({}, "x").error().message,
              "x: the header's length at byte 0 is 8 bytes long; the file has 0 more");
    const std::vector<std::byte> long_header(8, std::byte{0xff});
    EXPECT_EQ(SafetensorsFile::parse(long_header, "x").error().message,
              "x: a header of 18446744073709551615 bytes; at most 100000000 are read");
    std::vector<std::byte> cut = file_of("{}", 0);
    cut.pop_back();
    EXPECT_EQ(SafetensorsFile::parse(cut, "x").error().message,
              "x: the header at byte 8 is 2 bytes long; the file has 1 more");

    EXPECT_EQ(message_of("{", 0), "x: the header: not valid JSON at byte 2 of 1");
    EXPECT_EQ(message_of("[]", 0), "x: the header: not a JSON object");
    EXPECT_EQ(message_of(R"({"a":1})", 0), "x: tensor \"a\" is no object");
    EXPECT_EQ(message_of(R"({"a":{}})", 0), "x: tensor \"a\" has no dtype");
    EXPECT_EQ(message_of(R"({"a":{"dtype":"F32"}})", 0),
              "x: tensor \"a\" has no shape of at most 8 dimensions");
    EXPECT_EQ(message_of(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4),
              "x: tensor \"a\" has no shape of at most 8 dimensions");
    EXPECT_EQ(
        message_of(R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}})", 4),
        "x: tensor \"a\" has no shape of at most 8 dimensions");
    EXPECT_EQ(message_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4),
              "x: tensor \"a\" has no data_offsets of two numbers");
    EXPECT_EQ(message_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4),
              "x: tensor \"a\" has bytes 4 to 0 of 4 bytes of data");
    EXPECT_EQ(message_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4),
              "x: tensor \"a\" has bytes 0 to 8 of 4 bytes of data");
    EXPECT_EQ(message_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4),
              "x: tensor \"a\" of type F32 and shape [2] needs 8 bytes; its data_offsets span 4");
    EXPECT_EQ(
        message_of(R"({"a":{"dtype":"F16","shape":[9223372036854775807,4],"data_offsets":[0,4]}})",
                   4),
        "x: tensor \"a\" of shape [9223372036854775807, 4] has more bytes than fit in memory");
    EXPECT_EQ(message_of(R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},)"
                         R"("a":{"dtype":"F16","shape":[1],"data_offsets":[2,4]}})",
                         4),
              "x: the header: a key occurs twice");
    EXPECT_EQ(message_of(R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)"
                         R"("b":{"dtype":"F16","shape":[1],"data_offsets":[2,4]}})",
                         4),
              "x: tensors \"a\" and \"b\" overlap");
}

TEST(SafetensorsFile, survives_deep_nesting) {
    const std::string deep(100'000, '[');
    EXPECT_NE(message_of(R"({"a":)" + deep, 0), "read");
    EXPECT_EQ(message_of(R"({"a":)" + deep + std::string(100'000, ']') + "}", 0),
              "x: tensor \"a\" is no object");
}

/// A directory of its own, gone afterwards.
class OpenSafetensors : public testing::Test {
  protected:
    void SetUp() override {
        directory_ = testing::TempDir() + "brigada_safetensors_" +
                     testing::UnitTest::GetInstance()->current_test_info()->name();
        std::filesystem::create_directory(directory_);
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    void write(const std::string& name, std::string_view text) {
        std::ofstream(directory_ / name, std::ios::binary) << text;
    }
    void write_shard(const std::string& name, const std::string& tensor) {
        const auto bytes =
            file_of(R"({")" + tensor + R"(":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})", 2);
        write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }

    Path directory_;
};

TEST_F(OpenSafetensors, finds_each_tensor_in_the_file_that_the_index_names) {
    write_shard("one.safetensors", "a");
    write_shard("two.safetensors", "b");
    write("model.safetensors.index.json",
          R"({"metadata":{},"weight_map":{"a":"one.safetensors","b":"two.safetensors"}})");
    const auto files = open_safetensors(directory_);
    ASSERT_TRUE(files.ok()) << files.error().message;
    ASSERT_EQ(files->size(), 2u);
    EXPECT_NE((*files)[0].tensor("a"), nullptr);
    EXPECT_NE((*files)[1].tensor("b"), nullptr);
}

TEST_F(OpenSafetensors, names_a_tensor_that_is_not_where_the_index_says) {
    write_shard("one.safetensors", "a");
    write("model.safetensors.index.json", R"({"weight_map":{"b":"one.safetensors"}})");
    EXPECT_EQ(open_safetensors(directory_).error().message,
              (directory_ / "one.safetensors").string() +
                  ": has no tensor \"b\", which the index puts there");
}

TEST_F(OpenSafetensors, does_not_follow_an_index_out_of_its_directory) {
    for (const char* name : {"../one.safetensors", "/etc/passwd", "..", "", "a\\u0000b"}) {
        write("model.safetensors.index.json",
              std::string(R"({"weight_map":{"a":")") + name + R"("}})");
        const auto files = open_safetensors(directory_);
        ASSERT_FALSE(files.ok()) << name;
        EXPECT_NE(files.error().message.find("no file name"), std::string::npos)
            << files.error().message;
    }
}

TEST_F(OpenSafetensors, says_that_there_are_none) {
    const auto files = open_safetensors(directory_);
    EXPECT_EQ(files.error().code, Code::not_found);
    EXPECT_EQ(
        files.error().message,
        directory_.string() + ": has neither model.safetensors nor model.safetensors.index.json");
}

}  // namespace
}  // namespace brigada
