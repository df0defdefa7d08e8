#include "dialect/escaped.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/rng.h"

namespace brigada {
namespace {

/// Bytes that escape, that begin and end characters of every length, and that are none.
std::string random_bytes(Rng& rng) {
    static constexpr char kBytes[] =
        "\"\\/\b\f\n\r\t\x00\x01\x1f\x7f az\x80\x8f\x9f\xa0\xbf\xc0\xc2\xdf\xe0\xe1\xed\xef\xf0\xf3"
        "\xf4\xf5\xff";
    std::string out;
    for (uint64_t n = rng.below(30); n > 0; --n)
        out += kBytes[rng.below(std::size(kBytes) - 1)];
    return out;
}

TEST(Escaped, escapes_as_another_writer_does) {
    Rng rng(1);
    for (int i = 0; i < 20'000; ++i) {
        const std::string text = random_bytes(rng);
        EXPECT_EQ('"' + escaped(text) + '"', dump_json(Json(text)));
    }
}

TEST(Escaped, comes_back_as_it_was) {
    Rng rng(2);
    for (int i = 0; i < 20'000; ++i) {
        const std::string inside = escaped(random_bytes(rng));
        EXPECT_EQ(unescaped({inside}), Json::parse('"' + inside + '"').get<std::string>());
    }
}

TEST(Escaped, knows_every_escape_of_json) {
    EXPECT_EQ(unescaped({R"(a\"\\\/\b\f\n\r\tz)"}), "a\"\\/\b\f\n\r\tz");
    EXPECT_EQ(unescaped({R"(\u0041\u00e9\u20AC\ud83d\ude00)"}), "A\u00e9\u20ac\U0001f600");
    EXPECT_EQ(unescaped({R"(\u0000)"}), std::string(1, '\0'));
}

TEST(Escaped, lone_surrogates_are_replaced) {
    EXPECT_EQ(unescaped({R"(\ud800)"}), "\ufffd");
    EXPECT_EQ(unescaped({R"(\udc00x)"}), "\ufffdx");
    EXPECT_EQ(unescaped({R"(\ud800\ud83d\ude00)"}), "\ufffd\U0001f600");
    EXPECT_EQ(unescaped({R"(\ud800\n)"}), "\ufffd\n");
    EXPECT_EQ(unescaped({R"(\ud800\u0041)"}), "\ufffdA");
}

TEST(Escaped, one_replacement_for_each_broken_character) {
    EXPECT_EQ(escaped("a\xe2\x82z"), "a\ufffdz");              // two thirds of a euro sign
    EXPECT_EQ(escaped("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");  // a surrogate as UTF-8
    EXPECT_EQ(escaped("\xc0\xaf"), "\ufffd\ufffd");            // overlong
    EXPECT_EQ(escaped("\xf0\x9f\x98"), "\ufffd");
}

}  // namespace
}  // namespace brigada
