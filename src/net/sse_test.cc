#include "net/sse.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace brigada {
namespace {

std::vector<SseEvent> read(std::string_view bytes, size_t portion = 1 << 20) {
    SseReader reader;
    std::vector<SseEvent> events;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(portion, bytes.size())))
        EXPECT_TRUE(reader.feed(bytes.substr(0, portion), events).ok());
    return events;
}

SseEvent event(std::string data, std::string type = "", std::string id = "") {
    return {std::move(type), std::move(data), std::move(id), std::nullopt};
}

// The streams and results of the standard's own examples, and its rules on line ends and fields.
const std::vector<std::pair<std::string, std::vector<SseEvent>>> kExamples = {
    {"data: YHOO\ndata: +2\ndata: 10\n\n", {event("YHOO\n+2\n10")}},
    {": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
     {event("first event", "", "1"), event("second event")}},
    {"data\n\ndata\ndata\n\ndata:", {event(""), event("\n")}},
    {"data:test\n\ndata: test\n\n", {event("test"), event("test")}},
    {"data: a\r\rdata: b\r\n\r\ndata: c\n\n", {event("a"), event("b"), event("c")}},
    {"\xef\xbb\xbf"
     "data: a\n\n\xef\xbb\xbf"
     "data: b\n\n",
     {event("a")}},
    {"event: x\n\ndata: a\n\n", {event("a")}},
    {"event: x\nevent: y\ndata: a\n\n", {event("a", "y")}},
    {"id: 7\ndata: a\n\ndata: b\n\n", {event("a", "", "7"), event("b", "", "7")}},
    {std::string("id: 1\0\ndata: a\n\n", 16), {event("a")}},
    {"data : a\nDATA: b\nunknown: c\n\n", {}},
    {"retry: 50\ndata: a\n\nretry: x\ndata: b\n\n", {{"", "a", "", 50}, event("b")}},
    {"", {}},
};

TEST(SseReader, reads_as_the_standard_says_however_the_bytes_are_cut) {
    for (const auto& [bytes, expected] : kExamples) {
        EXPECT_EQ(read(bytes), expected) << bytes;
        for (size_t portion = 1; portion < bytes.size(); ++portion)
            EXPECT_EQ(read(bytes, portion), expected) << bytes << " in portions of " << portion;
    }
}

TEST(SseReader, ends_with_an_error_when_an_event_grows_too_long) {
    for (size_t portion : {1, 7, 1000}) {
        SseReader reader(32);
        std::vector<SseEvent> events;
        Result<void> result;
        const std::string bytes = "data: 345678901234567890123456\n\ndata: " + std::string(60, 'x');
        for (size_t at = 0; at < bytes.size() && result.ok(); at += portion)
            result = reader.feed(std::string_view(bytes).substr(at, portion), events);
        EXPECT_EQ(events.size(), 1u);
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().code, Code::too_large);
        EXPECT_FALSE(reader.feed("\n\ndata: a\n\n", events).ok());
        EXPECT_EQ(events.size(), 1u);
    }
}

TEST(SseReader, takes_events_without_end_within_its_limit) {
    SseReader reader(64);
    std::vector<SseEvent> events;
    for (int i = 0; i < 1'000; ++i)
        ASSERT_TRUE(reader.feed("data: 0123456789\n\n", events).ok());
    EXPECT_EQ(events.size(), 1'000u);
}

TEST(SseWriter, frames_as_clients_expect) {
    SseWriter writer;
    writer.event("message_start", "{\"a\":1}");
    writer.data("[DONE]");
    writer.comment("keep-alive");
    EXPECT_EQ(writer.bytes(),
              "event: message_start\ndata: {\"a\":1}\n\ndata: [DONE]\n\n: keep-alive\n\n");
    writer.clear();
    writer.event("a\nb", "x\r\ny\rz\n");
    EXPECT_EQ(writer.bytes(), "event: a\ndata: x\ndata: y\ndata: z\ndata: \n\n");
}

// CR and CRLF come back as LF: the format has no way to carry them.
std::string with_lf(std::string text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && text.substr(i, 2) == "\r\n") continue;
        out.push_back(text[i] == '\r' ? '\n' : text[i]);
    }
    return out;
}

TEST(SseWriter, is_undone_by_the_reader_for_any_text) {
    Rng rng(3);
    for (int round = 0; round < 500; ++round) {
        SseWriter writer;
        std::vector<SseEvent> expected;
        for (uint64_t n = 1 + rng.below(4); n > 0; --n) {
            std::string data;
            for (uint64_t size = rng.below(12); size > 0; --size)
                data.push_back("ab :\r\n\0\xef"[rng.below(8)]);
            const std::string type = rng.chance(0.5) ? "delta" : "";
            if (rng.chance(0.3)) writer.comment(data);
            writer.event(type, data);
            expected.push_back(event(with_lf(data), type));
        }
        ASSERT_EQ(read(writer.bytes(), 1 + rng.below(8)), expected);
    }
}

}  // namespace
}  // namespace brigada
