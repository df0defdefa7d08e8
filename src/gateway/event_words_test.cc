// The words are found wherever they stand, and nothing else is taken for them.
#include "gateway/event_words.h"

#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"

namespace brigada {
namespace {

constexpr EventWords kOutput{.carry_output = true}, kMatters{.may_matter = true};

TEST(EventWords, are_found_at_every_place) {
    for (size_t before = 0; before < 40; ++before)
        for (size_t after = 0; after < 40; ++after) {
            const auto at = [&](std::string_view word) {
                return words_of(std::string(before, ' ').append(word).append(after, ' '));
            };
            for (const char* word : {"\"delta\"", "\"text\""})
                EXPECT_EQ(at(word), kOutput) << word << before << ' ' << after;
            for (const char* word : {"\"usage\"", "\"error\"", "\"response.", "_stop\""})
                EXPECT_EQ(at(word), kMatters) << word << before << ' ' << after;
            for (const char* word : {"\"deltas\"", "delta\"", "\"texts\"", "\"usage", "_stop",
                                     "\"Error\"", "\"responses\"", "\"stop\"", "\"eusage\""})
                EXPECT_EQ(at(word), EventWords()) << word << before << ' ' << after;
        }
}

/// The definition, letter by letter.
EventWords plainly(const std::string& data) {
    const auto has = [&](const char* word) { return data.find(word) != data.npos; };
    return {
        .carry_output = has("\"delta\"") || has("\"text\""),
        .may_matter = has("\"usage\"") || has("\"error\"") || has("\"response.") || has("_stop\"")};
}

TEST(EventWords, are_those_of_a_plain_search) {
    constexpr const char* kPieces[] = {
        "\"",      "delta", "text", "usage",  "error", "response.",
        "_stop",   "p",     "u",    "\"r",    ":",     "{",
        "content", "\\\"",  "d\"",  "\"\"\"", "\xc3",  "0123456789abcd"};
    Rng rng(7);
    for (int round = 0; round < 20'000; ++round) {
        std::string data;
        for (uint64_t pieces = rng.below(12); pieces > 0; --pieces)
            data += kPieces[rng.below(std::size(kPieces))];
        ASSERT_EQ(words_of(data), plainly(data)) << data;
    }
}

}  // namespace
}  // namespace brigada
