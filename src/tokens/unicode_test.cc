#include "tokens/unicode.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include "base/rng.h"
#include "tokens/byte_alphabet.h"
#include "tokens/normalizer.h"

namespace brigada {
namespace {

TEST(Unicode, reads_every_scalar_value_back) {
    for (char32_t code = 0; code < 0x110000; ++code) {
        if (code >= 0xd800 && code <= 0xdfff) continue;
        std::string text;
        append_utf8(code, text);
        const Char c = char_at(text, 0);
        ASSERT_EQ(c.code, code);
        ASSERT_EQ(c.bytes, text.size());
    }
}

TEST(Unicode, agrees_with_another_decoder_on_random_bytes) {
    Rng rng(7);
    constexpr uint8_t kTelling[] = {0x41, 0x7f, 0x80, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0,
                                    0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff, 0x90, 0x8f};
    for (int i = 0; i < 100'000; ++i) {
        std::string text;
        for (uint64_t n = 1 + rng.below(5); n > 0; --n)
            text += static_cast<char>(kTelling[rng.below(std::size(kTelling))]);
        utf8proc_int32_t expected = 0;
        const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                            static_cast<utf8proc_ssize_t>(text.size()), &expected);
        const Char c = char_at(text, 0);
        ASSERT_EQ(c.code == kNotACharacter, bytes < 0);
        if (bytes > 0) ASSERT_EQ(c.code, static_cast<char32_t>(expected));
    }
}

TEST(Unicode, replaces_as_the_standard_recommends) {
    const auto valid = [](std::string_view text) {
        std::string out;
        append_valid_utf8(text, out);
        return out;
    };
    // Unicode 15, section 3.9, table 3-8: 61 F1 80 80 E1 80 C2 62 80 63 80 BF 64
    EXPECT_EQ(valid("\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64"), "a���b�c��d");
    // table 3-11, truncated sequences: E1 80 E2 F0 91 92 F1 BF 41
    EXPECT_EQ(valid("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"), "����A");
    EXPECT_EQ(valid("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41"), "��������A");
}

TEST(Unicode, knows_which_bytes_may_still_become_a_character) {
    EXPECT_EQ(unfinished_bytes("a"), 0u);
    EXPECT_EQ(unfinished_bytes("a\xf0\x9f\x98"), 3u);
    EXPECT_EQ(unfinished_bytes("a\xe2\x82"), 2u);
    EXPECT_EQ(unfinished_bytes("a\xc3"), 1u);
    EXPECT_EQ(unfinished_bytes("a\xed\xa0"), 0u);  // would be a surrogate
    EXPECT_EQ(unfinished_bytes("\x80\x80\x80"), 0u);
}

TEST(ByteAlphabet, is_one_to_one_and_writes_a_space_as_gpt2_does) {
    std::string all;
    for (int b = 0; b < 256; ++b)
        all += static_cast<char>(b);
    EXPECT_EQ(bytes_of_alphabet(alphabet_of_bytes(all)), all);
    EXPECT_EQ(alphabet_of_bytes(" the\n"), "ĠtheĊ");
    EXPECT_EQ(bytes_of_alphabet("<|im start|>"), "<|im start|>");
}

std::string normalized(NormalizerStep step, std::string_view text) {
    const Normalizer normalizer = Normalizer::create({std::move(step)}).value();
    std::string storage;
    return std::string(normalizer.normalize(text, storage));
}

TEST(Normalizer, composes_as_utf8proc_does_on_the_whole_text) {
    constexpr std::string_view kTelling[] = {"a",  "e",      "\u0301", "\u0323", "é",  "Å",
                                             "Ω",  "\u1100", "\u1161", "\u11a8", "가", "—",
                                             "中", "\u0f71", "\u0f72", "\uf900"};
    for (uint64_t seed = 0; seed < 5000; ++seed) {
        Rng rng(seed);
        std::string text;
        for (uint64_t n = rng.below(12); n > 0; --n)
            text += kTelling[rng.below(std::size(kTelling))];
        auto* raw = utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
        const std::string expected(reinterpret_cast<const char*>(raw));
        std::free(raw);
        ASSERT_EQ(normalized({.kind = NormalizerStep::Kind::nfc}, text), expected)
            << "seed " << seed;
    }
}

TEST(Normalizer, skips_only_characters_that_never_change) {
    for (char32_t code = 0x80; code < 0x20000; ++code) {
        if (code >= 0xd800 && code <= 0xdfff) continue;
        std::string text;
        append_utf8(code, text);
        if (!surely_nfc(text)) continue;
        const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(code));
        ASSERT_EQ(property->combining_class, 0) << uint32_t{code};
        auto* raw = utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
        ASSERT_EQ(text, reinterpret_cast<const char*>(raw)) << uint32_t{code};
        std::free(raw);
        for (const std::string_view before :
             {"a", "가", "か", "\u1100"}) {  // nor with one before it
            const std::string pair = std::string(before) + text;
            raw = utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(pair.c_str()));
            ASSERT_EQ(pair, reinterpret_cast<const char*>(raw)) << uint32_t{code};
            std::free(raw);
        }
    }
}

TEST(Normalizer, does_what_each_step_says) {
    using Kind = NormalizerStep::Kind;
    EXPECT_EQ(normalized({.kind = Kind::nfkc}, "ﬁ①"), "fi1");
    EXPECT_EQ(normalized({.kind = Kind::nfd}, "é"), "e\u0301");
    EXPECT_EQ(normalized({.kind = Kind::lowercase}, "ÀİΣ"), "ài̇σ");
    EXPECT_EQ(normalized({.kind = Kind::prepend, .to = "▁"}, "a"), "▁a");
    EXPECT_EQ(normalized({.kind = Kind::prepend, .to = "▁"}, ""), "");
    EXPECT_EQ(normalized({.kind = Kind::replace, .from = " ", .to = "▁"}, " a  b"), "▁a▁▁b");
    EXPECT_EQ(normalized({.kind = Kind::replace_regex, .from = " {2,}", .to = "_"}, "a   b c"),
              "a_b c");
    EXPECT_EQ(normalized({.kind = Kind::strip, .left = true, .right = true}, "\u3000 a b\n"),
              "a b");
    EXPECT_EQ(normalized({.kind = Kind::collapse_spaces}, "  a   b "), "a b");
    EXPECT_EQ(Normalizer::create({{.kind = Kind::replace}}).error().code, Code::corrupt);
}

}  // namespace
}  // namespace brigada
