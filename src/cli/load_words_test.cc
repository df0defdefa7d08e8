#include "cli/load_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/load_display.h"

namespace brigada {

namespace {

TEST(LoadWords, times_have_units) {
    EXPECT_EQ(duration_of("--x", "500ms").value(), Duration::milliseconds(500));
    EXPECT_EQ(duration_of("--x", "90s").value(), Duration::seconds(90));
    EXPECT_EQ(duration_of("--x", "1.5h").value(), Duration::seconds(5'400));
    EXPECT_EQ(duration_of("--x", "2").value(), Duration::seconds(2));
    for (const char* wrong : {"", "s", "-1s", "5 s", "1d", "1e99s", "nans"}) {
        const auto read = duration_of("--x", wrong);
        ASSERT_FALSE(read.ok()) << wrong;
        EXPECT_NE(read.error().message.find("--x"), std::string::npos);
    }
}

TEST(LoadWords, choose_a_pace) {
    LoadWords words;
    EXPECT_EQ(play_options(words, false)->pace, Pace::closed);
    EXPECT_EQ(play_options(words, false)->duration, Duration::seconds(60));
    EXPECT_EQ(play_options(words, true)->pace, Pace::recorded);
    EXPECT_EQ(play_options(words, true)->duration, Duration::max());
    words.sessions = 3;
    EXPECT_EQ(play_options(words, true)->sessions, 3u);
    words.sessions = 0;
    words.rate = 2;
    words.arrivals = "gamma";
    words.cv = 3;
    const PlayOptions bursts = play_options(words, true).value();
    EXPECT_EQ(bursts.pace, Pace::open);
    EXPECT_EQ(bursts.arrivals.cv, 3);
    EXPECT_NE(pace_in_words(bursts).find("bursts"), std::string::npos);
    words.warm_up = "60s";
    EXPECT_FALSE(play_options(words, false).ok());
}

TEST(LoadWords, read_an_endpoint) {
    LoadWords words;
    words.url = "http://example.test:8000";
    words.api = "messages";
    const LoadTarget target = load_target(words).value();
    EXPECT_EQ(target.host, "example.test");
    EXPECT_EQ(target.port, 8000);
    EXPECT_EQ(target.base_path, "/v1");
    EXPECT_EQ(target.api, Dialect::messages);
    words.url = "http://example.test/other";
    words.extra_body = R"({"a": 1, "b": [2]})";
    EXPECT_EQ(load_target(words)->base_path, "/other");
    EXPECT_EQ(load_target(words)->extra_body, R"("a":1,"b":[2])");
    words.key_variable = "BRIGADA_NO_SUCH_VARIABLE";
    EXPECT_NE(load_target(words).error().message.find("BRIGADA_NO_SUCH_VARIABLE"),
              std::string::npos);
}

TEST(LoadDisplay, draws_one_line_on_a_terminal_and_few_elsewhere) {
    std::ostringstream terminal, file;
    {
        LoadDisplay on_terminal(terminal, true), elsewhere(file, false);
        for (int64_t i = 0; i <= 100; ++i) {
            const LoadProgress now{.elapsed = Duration::milliseconds(100 * i),
                                   .sent = 7,
                                   .finished = 5,
                                   .output_tokens = static_cast<uint64_t>(10 * i),
                                   .ttft_p50 = Duration::milliseconds(12)};
            on_terminal.show(now);
            elsewhere.show(now);
        }
    }
    EXPECT_EQ(std::ranges::count(terminal.str(), '\n'), 1);
    EXPECT_EQ(std::ranges::count(terminal.str(), '\r'), 50);
    EXPECT_EQ(std::ranges::count(file.str(), '\n'), 2);
    EXPECT_NE(file.str().find("100 tokens/s"), std::string::npos) << file.str();
}

}  // namespace

}  // namespace brigada
