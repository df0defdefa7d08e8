#include "model/gguf.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>

#include "model/dequantise.h"
#include "model/gguf_writer.h"
#include "model/test_files.h"

namespace brigada {
namespace {

/// GGUF bytes put together by hand, right or wrong.
class Bytes {
  public:
    template <typename T>
    Bytes& number(T value) {
        const auto* p = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), p, p + sizeof value);
        return *this;
    }
    Bytes& u32(uint32_t value) { return number(value); }
    Bytes& u64(uint64_t value) { return number(value); }
    Bytes& text(std::string_view text) {
        u64(text.size());
        return raw(text);
    }
    Bytes& raw(std::string_view text) {
        const auto* p = reinterpret_cast<const std::byte*>(text.data());
        bytes_.insert(bytes_.end(), p, p + text.size());
        return *this;
    }
    Bytes& zeros(size_t count) {
        bytes_.resize(bytes_.size() + count);
        return *this;
    }
    Bytes& pad_to(size_t alignment) {
        return zeros((alignment - bytes_.size() % alignment) % alignment);
    }

    /// "GGUF", version 3 and the two counts.
    static Bytes header(uint64_t tensors, uint64_t entries) {
        return Bytes().raw("GGUF").u32(3).u64(tensors).u64(entries);
    }
    Bytes& tensor(std::string_view name, std::vector<uint64_t> dimensions, uint32_t type,
                  uint64_t offset) {
        text(name).u32(static_cast<uint32_t>(dimensions.size()));
        for (const uint64_t d : dimensions)
            u64(d);
        return u32(type).u64(offset);
    }

    const std::vector<std::byte>& get() const { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
};

constexpr uint32_t kF32 = 0, kQ4_0 = 2;  // ggml's numbers

Result<GgufFile> parse(const Bytes& bytes) {
    return GgufFile::parse(bytes.get(), "x.gguf");
}

TEST(GgufFile, reads_back_what_was_put_together_by_hand) {
    Bytes bytes = Bytes::header(1, 2).text("general.name").u32(8).text("tiny");
    bytes.text("a.flag").u32(7).number<uint8_t>(1);
    bytes.tensor("w", {2, 3}, kF32, 0).pad_to(32);
    for (int i = 0; i < 6; ++i)
        bytes.number(static_cast<float>(i));
    const auto file = parse(bytes);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file->version(), 3u);
    EXPECT_EQ(**file->string("general.name"), "tiny");
    EXPECT_EQ(**file->boolean("a.flag"), true);
    const Tensor* w = file->tensor("w");
    ASSERT_NE(w, nullptr);
    EXPECT_EQ(w->shape, (std::vector<uint64_t>{3, 2}));  // rows first
    EXPECT_EQ(dequantise(*w), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

struct Hostile {
    std::string what;
    Bytes bytes;
    Code code;
    std::string message;
};

std::vector<Hostile> hostile_files() {
    const uint64_t huge = ~uint64_t{0};
    return {
        {"empty", Bytes(), Code::corrupt,
         "the magic number at byte 0 is 4 bytes long; the file has 0 more"},
        {"other magic", Bytes().raw("GGML").u32(3), Code::corrupt,
         "not a GGUF file: it does not begin with \"GGUF\""},
        {"old version", Bytes().raw("GGUF").u32(1), Code::unsupported,
         "GGUF version 1; versions 2 and 3 are read"},
        {"new version", Bytes().raw("GGUF").u32(9), Code::unsupported,
         "GGUF version 9; versions 2 and 3 are read"},
        {"big endian", Bytes().raw("GGUF").u32(0x03000000), Code::unsupported,
         "a big-endian GGUF file; only little-endian ones are read"},
        {"no counts", Bytes().raw("GGUF").u32(3).u32(0), Code::corrupt,
         "the number of tensors at byte 8 is 8 bytes long; the file has 4 more"},
        {"absurd entry count", Bytes::header(0, huge), Code::corrupt,
         "says it has 18446744073709551615 metadata entries; its 24 bytes have room for 0"},
        {"absurd tensor count", Bytes::header(1'000'000, 0).zeros(64), Code::corrupt,
         "says it has 1000000 tensors; its 88 bytes have room for 2"},
        {"key past the end", Bytes::header(0, 1).u64(huge).zeros(16), Code::corrupt,
         "key 0 at byte 32 is 18446744073709551615 bytes long; the file has 16 more"},
        {"type of value", Bytes::header(0, 1).text("k").u32(13).zeros(8), Code::corrupt,
         "the value of \"k\" has type 13; GGUF has 0 to 12"},
        {"boolean 2", Bytes::header(0, 1).text("k").u32(7).number<uint8_t>(2), Code::corrupt,
         "the boolean \"k\" is 2; 0 and 1 are booleans"},
        {"string past the end", Bytes::header(0, 1).text("k").u32(8).u64(5).raw("abc"),
         Code::corrupt, "\"k\" at byte 45 is 5 bytes long; the file has 3 more"},
        {"array past the end", Bytes::header(0, 1).text("k").u32(9).u32(4).u64(huge / 2),
         Code::corrupt,
         "the array \"k\" says it has 9223372036854775807 elements of 4 bytes; the file has 0 "
         "bytes "
         "more"},
        {"strings past the end", Bytes::header(0, 1).text("k").u32(9).u32(8).u64(huge),
         Code::corrupt,
         "the array \"k\" says it has 18446744073709551615 strings; the file has 0 bytes more"},
        {"one string past the end",
         Bytes::header(0, 1).text("k").u32(9).u32(8).u64(2).text("a").u64(huge), Code::corrupt,
         "string 1 of \"k\" runs past the end of the file"},
        {"array of arrays", Bytes::header(0, 1).text("k").u32(9).u32(9).u64(1).zeros(16),
         Code::unsupported, "\"k\" is an array of arrays, which is not read here"},
        {"key twice", Bytes::header(0, 2).text("k").u32(0).zeros(1).text("k").u32(0).zeros(1),
         Code::corrupt, "the metadata key \"k\" occurs twice"},
        {"unprintable key",
         Bytes::header(0, 2).text("\n\xff").u32(0).zeros(1).text("\n\xff").u32(0).zeros(1),
         Code::corrupt, "the metadata key \"\\x0a\\xff\" occurs twice"},
        {"alignment 0", Bytes::header(0, 1).text("general.alignment").u32(4).u32(0), Code::corrupt,
         "general.alignment is 0; a power of two is needed"},
        {"alignment 48", Bytes::header(0, 1).text("general.alignment").u32(4).u32(48),
         Code::corrupt, "general.alignment is 48; a power of two is needed"},
        {"alignment of text", Bytes::header(0, 1).text("general.alignment").u32(8).text("32"),
         Code::corrupt, "general.alignment is no unsigned number; a power of two is needed"},
        {"alignment past the end",
         Bytes::header(1, 1)
             .text("general.alignment")
             .u32(4)
             .u32(1u << 31)
             .tensor("w", {1}, kF32, 0),
         Code::corrupt, "ends at byte 90, before the data of its 1 tensors"},
        {"rank 0", Bytes::header(1, 0).tensor("w", {}, kF32, 0).zeros(64), Code::corrupt,
         "tensor \"w\" has 0 dimensions; 1 to 4 are possible"},
        {"rank 5", Bytes::header(1, 0).tensor("w", {1, 1, 1, 1, 1}, kF32, 0).zeros(64),
         Code::corrupt, "tensor \"w\" has 5 dimensions; 1 to 4 are possible"},
        {"dimension 0", Bytes::header(1, 0).tensor("w", {4, 0}, kF32, 0).zeros(64), Code::corrupt,
         "tensor \"w\" has a dimension of 0"},
        {"elements overflow",
         Bytes::header(1, 0).tensor("w", {1ull << 32, 1ull << 32}, kF32, 0).zeros(64),
         Code::corrupt,
         "tensor \"w\" of shape [4294967296, 4294967296] has more numbers than fit in memory"},
        {"bytes overflow", Bytes::header(1, 0).tensor("w", {1ull << 62}, kF32, 0).zeros(64),
         Code::corrupt,
         "tensor \"w\" of shape [4611686018427387904] has more bytes than fit in memory"},
        {"no type", Bytes::header(1, 0).tensor("w", {32}, 99, 0).zeros(64), Code::corrupt,
         "tensor \"w\": type number 99 is none of ggml's"},
        {"row of part of a block", Bytes::header(1, 0).tensor("w", {33}, kQ4_0, 0).zeros(64),
         Code::corrupt, "tensor \"w\" has rows of 33; Q4_0 needs a multiple of 32"},
        {"misaligned", Bytes::header(1, 0).tensor("w", {1}, kF32, 8).zeros(64), Code::corrupt,
         "tensor \"w\" begins at offset 8, no multiple of the alignment 32"},
        {"past the end", Bytes::header(1, 0).tensor("w", {9}, kF32, 0).pad_to(32).zeros(32),
         Code::corrupt, "tensor \"w\" of 36 bytes at offset 0 runs past the 32 bytes of data"},
        {"offset past the end",
         Bytes::header(1, 0).tensor("w", {1}, kF32, huge - 31).pad_to(32).zeros(32), Code::corrupt,
         "tensor \"w\" of 4 bytes at offset 18446744073709551584 runs past the 32 bytes of data"},
        {"name twice",
         Bytes::header(2, 0).tensor("w", {1}, kF32, 0).tensor("w", {1}, kF32, 32).zeros(96),
         Code::corrupt, "the tensor name \"w\" occurs twice"},
        {"overlap",
         Bytes::header(2, 0)
             .tensor("a", {9}, kF32, 0)
             .tensor("b", {1}, kF32, 32)
             .pad_to(32)
             .zeros(64),
         Code::corrupt, "tensors \"a\" and \"b\" overlap at offset 32"},
    };
}

TEST(GgufFile, says_what_is_wrong_with_a_hostile_file) {
    for (const Hostile& hostile : hostile_files()) {
        SCOPED_TRACE(hostile.what);
        const auto file = parse(hostile.bytes);
        ASSERT_FALSE(file.ok());
        EXPECT_EQ(file.error().message, "x.gguf: " + hostile.message);
        EXPECT_EQ(file.error().code, hostile.code);
    }
}

TEST(GgufFile, refuses_every_beginning_of_a_file) {
    const std::vector<std::byte> whole = test_bytes(test_gguf("stories260K", "q4_0"));
    ASSERT_TRUE(GgufFile::parse(whole, "whole").ok());
    const std::span<const std::byte> span(whole);
    for (size_t size = 0; size < whole.size(); size += 1 + size / 64)
        ASSERT_FALSE(GgufFile::parse(span.first(size), "part").ok()) << size;
}

TEST(GgufFile, opens_real_files) {
    const auto file = GgufFile::open(test_gguf("stories260K", "q8_0"));
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file->tensors().size(), 47u);
    EXPECT_EQ(file->entries().size(), 26u);
    EXPECT_EQ(**file->string("general.architecture"), "llama");
    EXPECT_EQ(**file->unsigned_integer("llama.feed_forward_length"), 172u);
    EXPECT_FLOAT_EQ(static_cast<float>(**file->number("llama.rope.freq_base")), 10000.0f);
    EXPECT_EQ((*file->strings("tokenizer.ggml.tokens"))->size(), 512u);
    EXPECT_EQ(file->tensor("token_embd.weight")->dtype, DType::q8_0);
    EXPECT_EQ(file->tensor("blk.4.ffn_down.weight")->dtype, DType::f16);
    EXPECT_EQ(file->tensor("blk.4.ffn_down.weight")->shape, (std::vector<uint64_t>{64, 172}));
    EXPECT_EQ(file->tensor("blk.5.ffn_down.weight"), nullptr);
}

TEST(GgufFile, names_a_file_that_is_not_there) {
    const auto file = GgufFile::open("/nowhere/x.gguf");
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(file.error().code, Code::not_found);
    EXPECT_NE(file.error().message.find("/nowhere/x.gguf"), std::string::npos);
}

TEST(GgufFile, widens_integers_and_refuses_other_kinds) {
    Bytes bytes = Bytes::header(0, 4).text("a").u32(1).number<int8_t>(-3);
    bytes.text("b").u32(10).u64(~uint64_t{0});
    bytes.text("c").u32(9).u32(3).u64(2).number<int16_t>(-7).number<int16_t>(9);
    bytes.text("d").u32(12).number<double>(0.5);
    const auto file = parse(bytes);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(**file->number("a"), -3.0);
    EXPECT_EQ(file->unsigned_integer("a").error().message,
              "x.gguf: \"a\" is of type i8; an integer of 0 or more is needed");
    EXPECT_EQ(**file->unsigned_integer("b"), ~uint64_t{0});
    EXPECT_EQ(**file->integers("c"), (std::vector<int64_t>{-7, 9}));
    EXPECT_EQ(**file->numbers("c"), (std::vector<double>{-7, 9}));
    EXPECT_EQ(file->strings("c").error().message,
              "x.gguf: \"c\" is an array of 2 i16; an array of strings is needed");
    EXPECT_EQ(**file->number("d"), 0.5);
    EXPECT_EQ(file->string("d").error().message,
              "x.gguf: \"d\" is of type f64; a string is needed");
    EXPECT_FALSE(file->boolean("absent")->has_value());
}

TEST(GgufWriter, writes_what_the_file_reads_back) {
    const std::vector<std::string> words = {"", "a", "Ġthe"};
    const std::vector<int32_t> types = {1, 3};
    const std::vector<float> scores = {0.5f, -2};
    for (const uint32_t alignment : {32u, 64u, 8u}) {
        GgufWriter writer(alignment);
        writer.add_string("general.architecture", "llama");
        writer.add_u32("n", 7);
        writer.add_f32("f", 0.25f);
        writer.add_bool("b", true);
        writer.add_strings("words", words);
        writer.add_i32s("types", types);
        writer.add_f32s("scores", scores);
        writer.add_tensor("odd", DType::f32, {3}, std::vector<std::byte>(12, std::byte{1}));
        writer.add_tensor("made", DType::f32, {2, 2}, [](uint64_t row, std::span<float> out) {
            for (size_t i = 0; i < out.size(); ++i)
                out[i] = static_cast<float>(10 * row + i);
        });
        const std::vector<std::byte> bytes = writer.to_bytes();
        const auto file = GgufFile::parse(bytes, "written");
        ASSERT_TRUE(file.ok()) << file.error().message;
        EXPECT_EQ(**file->unsigned_integer("n"), 7u);
        EXPECT_EQ(**file->number("f"), 0.25);
        EXPECT_EQ(**file->boolean("b"), true);
        EXPECT_EQ(**file->strings("words"),
                  (std::vector<std::string_view>(words.begin(), words.end())));
        EXPECT_EQ(**file->integers("types"), (std::vector<int64_t>{1, 3}));
        EXPECT_EQ(**file->numbers("scores"), (std::vector<double>{0.5, -2}));
        EXPECT_EQ(dequantise(*file->tensor("made")), (std::vector<float>{0, 1, 10, 11}));
        EXPECT_EQ(file->tensor("odd")->data.size(), 12u);
        EXPECT_EQ(writer.file_bytes(), bytes.size());
    }
}

TEST(GgufWriter, rewrites_a_real_file_byte_for_byte) {
    const std::vector<std::byte> original = test_bytes(test_gguf("stories260K", "q4_0"));
    const auto file = GgufFile::parse(original, "original");
    ASSERT_TRUE(file.ok());
    GgufWriter writer;
    for (const GgufEntry& entry : file->entries()) {
        const std::string_view key = entry.key;
        if (entry.type == GgufType::u32)
            writer.add_u32(key, static_cast<uint32_t>(**file->unsigned_integer(key)));
        else if (entry.type == GgufType::f32)
            writer.add_f32(key, static_cast<float>(**file->number(key)));
        else if (entry.type == GgufType::boolean)
            writer.add_bool(key, **file->boolean(key));
        else if (entry.type == GgufType::string)
            writer.add_string(key, **file->string(key));
        else if (auto strings = file->strings(key); strings.ok())
            writer.add_strings(key,
                               std::vector<std::string>((*strings)->begin(), (*strings)->end()));
        else if (auto integers = file->integers(key); integers.ok())
            writer.add_i32s(key, std::vector<int32_t>((*integers)->begin(), (*integers)->end()));
        else {
            const auto numbers = file->numbers(key);
            writer.add_f32s(key, std::vector<float>((*numbers)->begin(), (*numbers)->end()));
        }
    }
    for (const Tensor& tensor : file->tensors())
        writer.add_tensor(tensor.name, tensor.dtype, tensor.shape,
                          std::vector<std::byte>(tensor.data.begin(), tensor.data.end()));
    EXPECT_EQ(writer.to_bytes(), original);
}

TEST(GgufWriter, says_where_it_cannot_write) {
    GgufWriter writer;
    const auto written = writer.write(Path("/nowhere/x.gguf"));
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().code, Code::io);
    EXPECT_EQ(written.error().message, "/nowhere/x.gguf: cannot write: No such file or directory");
}

// --- a model in several files -------------------------------------------------------------------

Path quants() {
    return Path(BRIGADA_TESTDATA) / "quants";
}

/// As the package gguf wrote them.
TEST(GgufFile, split_over_three_is_the_same_whichever_is_named) {
    const auto one = GgufFile::open(quants() / "every-type.gguf");
    ASSERT_TRUE(one.ok());
    for (const char* part : {"every-type-00001-of-00003.gguf", "every-type-00003-of-00003.gguf"}) {
        const auto split = GgufFile::open(quants() / part);
        ASSERT_TRUE(split.ok()) << split.error().message;
        EXPECT_EQ(*split->string("general.architecture"), "gpt-oss");
        ASSERT_EQ(split->tensors().size(), one->tensors().size());
        for (const Tensor& tensor : one->tensors()) {
            const Tensor* found = split->tensor(tensor.name);
            ASSERT_NE(found, nullptr) << tensor.name;
            EXPECT_EQ(found->shape, tensor.shape);
            EXPECT_TRUE(std::ranges::equal(found->data, tensor.data));
        }
    }
}

TEST(GgufFile, a_part_without_the_others_names_what_is_missing) {
    const Path folder = testing::TempDir();
    for (const auto& [name, missing] : {std::pair("lone-00003-of-00003.gguf", "lone-00001"),
                                        std::pair("renamed.gguf", "renamed-00001")}) {
        std::filesystem::copy_file(quants() / "every-type-00003-of-00003.gguf", folder / name,
                                   std::filesystem::copy_options::overwrite_existing);
        const auto file = GgufFile::open(folder / name);
        ASSERT_FALSE(file.ok());
        EXPECT_TRUE(file.error().message.contains(
            (folder / (std::string(missing) + "-of-00003.gguf")).string()))
            << file.error().message;
    }
}

TEST(GgufFile, a_tensor_in_two_parts_is_refused) {
    const Path folder = testing::TempDir();
    for (const char* name : {"twice-00001-of-00003.gguf", "twice-00002-of-00003.gguf"})
        std::filesystem::copy_file(quants() / "every-type-00001-of-00003.gguf", folder / name,
                                   std::filesystem::copy_options::overwrite_existing);
    const auto file = GgufFile::open(folder / "twice-00001-of-00003.gguf");
    ASSERT_FALSE(file.ok());
    EXPECT_TRUE(file.error().message.contains("twice-00002-of-00003.gguf: tensor \""))
        << file.error().message;
}

}  // namespace
}  // namespace brigada
