#include "calibrate/request_log.h"

#include <gtest/gtest.h>

namespace brigada {
namespace {

constexpr const char* kHeader = "input_tokens,output_tokens,arrival_s,first_token_s,last_token_s\n";

TEST(RequestLog, is_sorted_by_arrival) {
    const auto log =
        read_request_log(std::string(kHeader) + "20,3,1.5,2.0,2.5\n10,1,0.25,0.75,0.75\n", "r.csv");
    ASSERT_TRUE(log.ok());
    ASSERT_EQ(log->size(), 2u);
    EXPECT_EQ(log->front().prompt_tokens, 10u);
    EXPECT_EQ(log->front().ttft(), Duration::milliseconds(500));
    EXPECT_EQ(log->front().tpot_s(), 0);  // a single token has no gap
    EXPECT_EQ(log->back().latency(), Duration::seconds(1));
    EXPECT_DOUBLE_EQ(log->back().tpot_s(), 0.25);
}

TEST(RequestLog, what_cannot_be_is_refused) {
    const auto message = [](const std::string& row) {
        return read_request_log(kHeader + row, "r.csv").error().message;
    };
    EXPECT_EQ(message("10,1,2,1,3\n"),
              "r.csv, line 2: it arrives at 2 s, has its first token at 1 s and its last at 3 s");
    EXPECT_EQ(message("-1,1,0,1,2\n"),
              "r.csv, line 2: input_tokens is -1; it must be within 1 and 100000000");
    EXPECT_EQ(message("1,1,1e12,1,2\n"),
              "r.csv, line 2: arrival_s is 1e12; it must be within 0 and 100000000");
    EXPECT_EQ(message("1,1,nan,1,2\n"),
              "r.csv, line 2: arrival_s is nan; it must be within 0 and 100000000");
    EXPECT_EQ(message("1,1,0,1\n"), "r.csv, line 2: 4 fields; there are 5 columns");
    EXPECT_EQ(read_request_log("input_tokens\n1\n", "r.csv").error().message,
              "r.csv: no column output_tokens; there are input_tokens");
    EXPECT_EQ(message(""), "r.csv has no requests");
}

}  // namespace
}  // namespace brigada
