#include "engine/stop_matcher.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace brigada {
namespace {

struct Outcome {
    std::string text;
    std::optional<std::string> stop;
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// Too simple to be wrong: grows the whole text byte by byte and looks at its end.
Outcome naive(const std::vector<std::string>& stops, const std::string& text) {
    for (size_t end = 1; end <= text.size(); ++end)
        for (const auto& stop : stops)
            if (text.substr(0, end).ends_with(stop))
                return {text.substr(0, end - stop.size()), stop};
    return {text, std::nullopt};
}

Outcome in_pieces(const std::vector<std::string>& stops, const std::string& text, Rng& rng) {
    StopMatcher matcher(stops, false);
    Outcome out;
    for (size_t at = 0; at < text.size();) {
        const size_t length = std::min<size_t>(text.size() - at, 1 + rng.below(4));
        auto step = matcher.append(text.substr(at, length));
        out.text += step.text;
        if (step.stop) return {out.text, step.stop};
        at += length;
    }
    out.text += matcher.flush();
    return out;
}

std::string random_text(Rng& rng, size_t most) {
    std::string out;
    for (size_t n = rng.below(most + 1); n > 0; --n)
        out += static_cast<char>('a' + rng.below(2));
    return out;
}

TEST(StopMatcher, finds_what_looking_at_the_whole_text_finds) {
    for (uint64_t seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        std::vector<std::string> stops;
        for (int i = 0; i < 3; ++i)
            stops.push_back(random_text(rng, 5) + "b");
        const std::string text = random_text(rng, 30);
        ASSERT_EQ(in_pieces(stops, text, rng), naive(stops, text));
    }
}

TEST(StopMatcher, sends_at_once_what_cannot_begin_a_stop) {
    StopMatcher matcher({"###"}, false);
    EXPECT_EQ(matcher.append("hello #").text, "hello ");
    EXPECT_EQ(matcher.append("1").text, "#1");
}

TEST(StopMatcher, the_first_completed_wins_then_the_list_order) {
    StopMatcher earliest({"bcd", "ab"}, false);
    EXPECT_EQ(earliest.append("xabcd").stop, "ab");
    StopMatcher listed({"b", "ab"}, false);
    auto step = listed.append("xab");
    EXPECT_EQ(step.stop, "b");
    EXPECT_EQ(step.text, "xa");
}

TEST(StopMatcher, keeps_the_stop_string_when_asked) {
    StopMatcher matcher({"END"}, true);
    EXPECT_EQ(matcher.append("the END.").text, "the END");
}

TEST(StopMatcher, without_stops_holds_nothing) {
    StopMatcher matcher({""}, false);
    EXPECT_EQ(matcher.append("all of it").text, "all of it");
    EXPECT_EQ(matcher.flush(), "");
}

}  // namespace
}  // namespace brigada
