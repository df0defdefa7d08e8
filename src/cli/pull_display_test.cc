#include "cli/pull_display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace brigada {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Instant at_ms(int64_t ms) {
    return Instant::at_ns(ms * 1'000'000);
}

TEST(PullDisplay, draws_one_moving_line_on_a_terminal) {
    std::ostringstream out;
    {
        PullDisplay display(out, true, false);
        for (int ms = 0; ms <= 2000; ++ms)
            display.bytes_at(at_ms(ms), "m.gguf", static_cast<uint64_t>(ms) * 500, 1'000'000);
    }
    const std::string text = out.str();
    EXPECT_EQ(std::ranges::count(text, '\r'), 21);  // every 100 ms, from the first to the whole
    EXPECT_EQ(std::ranges::count(text, '\n'), 1);
    EXPECT_THAT(text, HasSubstr("[###############               ]  50 % of 1.0 MB 500.0 kB/s"));
    EXPECT_THAT(text, HasSubstr("100 % of 1.0 MB"));
}

TEST(PullDisplay, counts_the_rate_from_where_a_resumed_pull_began) {
    std::ostringstream out;
    PullDisplay display(out, true, false);
    display.bytes_at(at_ms(0), "m.gguf", 900'000, 1'000'000);
    display.bytes_at(at_ms(1000), "m.gguf", 950'000, 1'000'000);
    EXPECT_THAT(out.str(), HasSubstr("50.0 kB/s"));
}

TEST(PullDisplay, prints_a_line_at_every_tenth_elsewhere) {
    std::ostringstream out;
    PullDisplay display(out, false, false);
    for (uint64_t done = 0; done <= 1000; ++done)
        display.bytes_at(at_ms(0), "m.gguf", done, 1000);
    EXPECT_EQ(std::ranges::count(out.str(), '\n'), 10);
    EXPECT_THAT(out.str(), EndsWith("m.gguf: 1.0 kB of 1.0 kB\n"));
    EXPECT_THAT(out.str(), Not(HasSubstr("\r")));
}

TEST(PullDisplay, shows_bytes_when_the_size_is_unknown) {
    std::ostringstream out;
    PullDisplay display(out, true, false);
    display.bytes_at(at_ms(0), "m.gguf", 12'300, 0);
    EXPECT_THAT(out.str(), HasSubstr("m.gguf 12.3 kB"));
}

TEST(PullDisplay, keeps_notes_off_the_bar_and_details_for_the_curious) {
    std::ostringstream out;
    PullDisplay display(out, true, false);
    display.bytes_at(at_ms(0), "m.gguf", 1, 10);
    display.note("a note");
    display.detail("a detail");
    EXPECT_THAT(out.str(), EndsWith("\na note\n"));
    PullDisplay curious(out, true, true);
    curious.detail("a detail");
    EXPECT_THAT(out.str(), EndsWith("a detail\n"));
}

}  // namespace
}  // namespace brigada
