#include "toolcall/json_scanner.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/rng.h"

namespace brigada {
namespace {

using State = JsonScanner::State;

struct Scanned {
    State state;
    size_t used;
    std::string out;

    bool operator==(const Scanned&) const = default;
};

/// Fed in portions of `step` bytes.
Scanned scan(std::string_view text, size_t step) {
    JsonScanner scanner;
    Scanned out{};
    for (size_t at = 0; at < text.size() && scanner.state() == State::open; at += step) {
        const std::string_view portion = text.substr(at, step);
        out.used += scanner.read(portion, out.out);
    }
    out.state = scanner.state();
    return out;
}

TEST(JsonScanner, ends_where_the_value_ends) {
    for (const char* value :
         {R"({})", R"({"a": [1, -2.5e+3, true, null, "x"], "b": {}})", R"([[]])",
          R"("a\"b\\\u00e9\ud83d\ude00")", "false", R"([0, 0.5, 10])"}) {
        const Scanned scanned = scan(std::string(value) + " rest", 1);
        EXPECT_EQ(scanned.state, State::complete) << value;
        EXPECT_EQ(scanned.out, value);
        EXPECT_EQ(scanned.used, scanned.out.size());
    }
    EXPECT_EQ(scan("12]", 1), (Scanned{State::complete, 2, "12"}));
}

TEST(JsonScanner, stops_at_the_byte_that_cannot_be_there) {
    for (const auto& [text, used] :
         std::initializer_list<std::pair<const char*, size_t>>{{"{a", 1},
                                                               {"{'a'", 1},
                                                               {R"({"a" 1)", 5},
                                                               {R"({"a": 01)", 7},
                                                               {R"([1,])", 3},
                                                               {R"({"a":1,})", 7},
                                                               {R"(["\x")", 3},
                                                               {R"(["\ud83dx)", 8},
                                                               {R"(["\ude00)", 7},
                                                               {"[tru]", 4},
                                                               {"[1}", 2},
                                                               {"[1.]", 3},
                                                               {"[-]", 2},
                                                               {"nul!", 3},
                                                               {"True", 0}}) {
        const Scanned scanned = scan(text, 1);
        EXPECT_EQ(scanned.state, State::wrong) << text;
        EXPECT_EQ(scanned.used, used) << text;
    }
}

TEST(JsonScanner, escapes_the_line_breaks_that_models_leave_in_strings) {
    const Scanned scanned = scan("[\"a\nb\tc\x01\"]", 1);
    EXPECT_EQ(scanned.state, State::complete);
    EXPECT_EQ(scanned.out, R"(["a\nb\tc\u0001"])");
}

TEST(JsonScanner, nests_as_deep_as_values_are_read) {
    const std::string open(kJsonMaxDepth, '['), close(kJsonMaxDepth, ']');
    EXPECT_EQ(scan(open + close, 7).state, State::complete);
    EXPECT_EQ(scan("[" + open + close + "]", 7).state, State::wrong);
}

/// A value, or something near to one.
std::string random_text(Rng& rng) {
    constexpr std::string_view kBits[] = {
        "{",       "}",       "[",    "]",    ",",    ":",        "\"", "\"a\"",
        "\"b\": ", "1",       "-0.5", "true", "null", " ",        "\\", "\\n",
        "\\ud83d", "\\ude00", "e",    "é",    "\n",   "\"c\": {", "x"};
    std::string out = rng.below(2) ? "{" : "[";
    for (uint64_t i = rng.below(12); i > 0; --i)
        out += kBits[rng.below(std::size(kBits))];
    return out + (rng.below(2) ? "}" : "]");
}

/// The first complete value by trying every length with another parser; 0 when there is none.
size_t first_value(const std::string& text) {
    for (size_t size = 1; size <= text.size(); ++size)
        if (parse_json(text.substr(0, size), "prefix").ok()) return size;
    return 0;
}

TEST(JsonScanner, agrees_with_a_parser_that_sees_all) {
    size_t complete = 0;
    for (uint64_t seed = 0; seed < 3000; ++seed) {
        Rng rng(seed);
        const std::string text = random_text(rng);
        const Scanned scanned = scan(text, 1 + rng.below(5));
        ASSERT_EQ(scanned, scan(text, text.size())) << text;
        if (text.contains('\n')) continue;  // the other parser refuses it within strings
        const size_t size = first_value(text);
        ASSERT_EQ(scanned.state == State::complete, size > 0) << text;
        if (size == 0) continue;
        ASSERT_EQ(scanned.out, text.substr(0, size));
        ++complete;
    }
    EXPECT_GT(complete, 100u);
}

}  // namespace
}  // namespace brigada
