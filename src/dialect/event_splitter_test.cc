#include "dialect/event_splitter.h"

#include <gtest/gtest.h>

namespace brigada {
namespace {

std::vector<std::string> split(const std::vector<std::string>& pieces,
                               std::string* rest = nullptr) {
    EventSplitter splitter;
    std::vector<std::string> out;
    for (const std::string& piece : pieces)
        for (const std::string_view event : splitter.feed(piece).value())
            out.emplace_back(event);
    if (rest) *rest = splitter.rest();
    return out;
}

TEST(EventSplitter, cuts_the_same_events_however_the_bytes_come) {
    const std::string stream =
        ": hello\n\ndata: {\"a\":1}\n\nevent: x\r\ndata: b\r\n\r\ndata: c\rdata: d\r\rdata: "
        "[DONE]\n\n";
    const auto whole = split({stream});
    EXPECT_EQ(whole.size(), 5u);
    for (size_t at = 1; at < stream.size(); ++at) {
        SCOPED_TRACE(at);
        EXPECT_EQ(split({stream.substr(0, at), stream.substr(at)}), whole);
    }
    std::vector<std::string> bytes;
    for (const char c : stream)
        bytes.emplace_back(1, c);
    EXPECT_EQ(split(bytes), whole);
}

TEST(EventSplitter, keeps_what_is_not_whole) {
    std::string rest;
    EXPECT_EQ(split({"data: a\n\ndata: b\n"}, &rest).size(), 1u);
    EXPECT_EQ(rest, "data: b\n");
}

TEST(EventSplitter, refuses_an_event_without_end) {
    EventSplitter splitter(100);
    EXPECT_EQ(splitter.feed(std::string(101, 'x')).error().code, Code::too_large);
}

TEST(EventData, joins_the_data_lines) {
    std::string joined;
    EXPECT_EQ(event_data("event: x\ndata: {\"a\"\r\ndata::1}\n\n", joined), "{\"a\"\n:1}");
    EXPECT_EQ(event_data(": comment\n\n", joined), "");
    EXPECT_EQ(event_data("data:[DONE]\n\n", joined), "[DONE]");
}

}  // namespace
}  // namespace brigada
