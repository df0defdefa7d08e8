#include "gateway/seen/trace_context.h"

#include <gtest/gtest.h>

namespace brigada {
namespace {

constexpr std::string_view kGood = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceContext, reads_and_writes_what_the_specification_shows) {
    const auto read = read_trace_context(kGood, "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->trace, (TraceId{0x4bf92f3577b34da6, 0xa3ce929d0e0e4736}));
    EXPECT_EQ(read->span, SpanId{0x00f067aa0ba902b7});
    EXPECT_TRUE(read->sampled());
    EXPECT_EQ(read->state, "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
    EXPECT_EQ(traceparent_of(*read), kGood);
}

TEST(TraceContext, is_none_when_anything_is_wrong_with_it) {
    for (const std::string_view bad :
         {"", "00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
          "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
          "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
          "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
          "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
          "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
          "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
          "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
          "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
          "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
          "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x"})
        EXPECT_FALSE(read_trace_context(bad, "").has_value()) << bad;
}

TEST(TraceContext, reads_of_a_newer_version_what_it_knows) {
    const auto read = read_trace_context(
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff-what-comes", "");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(traceparent_of(*read), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03");
}

TEST(TraceContext, leaves_out_a_state_that_is_too_long) {
    EXPECT_EQ(read_trace_context(kGood, std::string(512, 'a'))->state.size(), 512u);
    EXPECT_EQ(read_trace_context(kGood, std::string(513, 'a'))->state, "");
}

}  // namespace
}  // namespace brigada
