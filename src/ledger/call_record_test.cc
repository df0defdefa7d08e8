#include "ledger/call_record.h"

#include <cstring>

#include "ledger/csv.h"
#include "ledger/field_codec.h"
#include "ledger/test_folder.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

TEST(RecordIds, order_by_time_and_never_repeat_when_the_clock_steps_back) {
    RecordIds ids(~uint64_t{0} - 500);  // the number wraps on the way
    Rng rng(1);
    RecordId last{};
    for (int i = 0; i < 1'000; ++i) {
        const RecordId id = ids.next(WallTime::seconds(rng.between(1'000, 1'010)));
        ASSERT_LT(last, id);
        last = id;
    }
    EXPECT_EQ(RecordIds(7).next({42}), (RecordId{42, 7}));
}

TEST(RecordIds, survive_bytes_and_hex_and_sort_the_same_there) {
    const RecordId a{1, ~uint64_t{0}}, b{256, 0};
    EXPECT_EQ(RecordId::from_hex(a.hex()), a);
    EXPECT_EQ(b.hex(), "00000000000001000000000000000000");
    EXPECT_LT(a.hex(), b.hex());
    EXPECT_LT(std::memcmp(a.bytes().data(), b.bytes().data(), RecordId::kBytes), 0);
    EXPECT_EQ(RecordId::from_bytes({b.bytes().data(), 16}), b);
    EXPECT_FALSE(RecordId::from_hex("0g000000000001000000000000000000"));
    EXPECT_FALSE(RecordId::from_hex("00"));
    EXPECT_FALSE(RecordId::from_bytes("short"));
}

TEST(FieldCodec, keeps_every_integer_in_as_few_bytes_as_it_needs) {
    Rng rng(2);
    for (int i = 0; i < 20'000; ++i) {
        const auto value = static_cast<int64_t>(rng.next()) >> rng.below(64);
        FieldWriter out;
        out.integer(3, value);
        const std::string bytes = out.take();
        if (value == 0) {
            ASSERT_EQ(bytes, "");
            continue;
        }
        FieldReader in(bytes);
        const auto field = in.next();
        ASSERT_TRUE(in.done());
        ASSERT_EQ(field->integer().value(), value);
        const size_t size = field->bytes.size();
        const auto fits = [&](size_t n) {
            const auto limit = static_cast<__int128>(1) << (8 * n - 1);
            return value >= -limit && value < limit;
        };
        ASSERT_TRUE(fits(size)) << value;
        ASSERT_TRUE(size == 1 || !fits(size - 1)) << value << " took " << size;
    }
}

TEST(CallRecord, comes_back_as_it_went) {
    Rng rng(3);
    for (int i = 0; i < 2'000; ++i) {
        const CallRecord call = random_call(rng);
        const auto back = decode_call_record(encode(call));
        ASSERT_TRUE(back.ok()) << back.error().message;
        ASSERT_EQ(*back, call);
    }
    EXPECT_EQ(decode_call_record(encode(agent_call(1))).value(), agent_call(1));
}

TEST(CallRecord, skips_the_fields_of_a_newer_version) {
    FieldWriter newer;
    newer.text(200, "what comes after us");
    newer.integer(201, 7);
    EXPECT_EQ(decode_call_record(encode(agent_call(1)) + newer.take()).value(), agent_call(1));
}

TEST(CallRecord, refuses_what_is_no_record_and_says_why) {
    const std::string good = encode(agent_call(1));
    const auto message = [](std::string_view bytes) {
        return decode_call_record(bytes).error().message;
    };
    EXPECT_EQ(message(""), "an empty call record");
    EXPECT_EQ(message("\x02"), "call record of version 2; this build reads version 1");
    EXPECT_EQ(decode_call_record("\x02").error().code, Code::unsupported);
    EXPECT_EQ(message("\x01"), "a call record without an id");
    EXPECT_EQ(message(std::string_view(good).substr(0, good.size() - 1)),
              concat("call record: a field ends beyond the record's ", good.size() - 2, " bytes"));
    EXPECT_EQ(message("\x01\x1e\x01\x09"), "call record: status 9; this build knows 0 to 5");
    EXPECT_EQ(message("\x01\x1f\x09zzzzzzzzz"),
              "call record: field 31 is 9 bytes long; an integer has at most 8");
    EXPECT_EQ(message("\x01\x1f\x01\xff"), "call record: field 31 is -1");
    EXPECT_EQ(message("\x01\x01\x02xy"), "call record: an id of 2 bytes");
    EXPECT_THAT(message("\x01\x0a\xff\xff\xff\xff\x7f"), HasSubstr("ends beyond"));
}

TEST(CallRecord, bounds_what_clients_and_upstreams_claim) {
    CallRecord call = agent_call(1);
    call.end_user =
        std::string(RecordBounds{}.text_bytes - 1, 'a') + "\xc3\xa9";  // é across the border
    call.tags.assign(1'000, "tag");
    call.usage = {.input = -5, .output = int64_t{1} << 62};
    call.cost = {-1};
    const CallRecord back = decode_call_record(encode(call)).value();
    EXPECT_EQ(back.end_user, std::string(RecordBounds{}.text_bytes - 1, 'a'));
    EXPECT_EQ(back.tags.size(), RecordBounds{}.tags);
    EXPECT_EQ(back.usage, (Usage{.output = kCallTokens}));
    EXPECT_EQ(back.cost, Money{});
    EXPECT_EQ(decode_call_record(encode(back)).value(), back);
}

TEST(Csv, rounds_nothing) {
    EXPECT_EQ(utc_text({1'764'403'509'000'000'001}), "2025-11-29T08:05:09.000000001Z");
    EXPECT_EQ(utc_text({-1}), "1969-12-31T23:59:59.999999999Z");
    EXPECT_EQ(utc_text({}), "");
    EXPECT_EQ(dollar_text({12'000'000'345}), "12.000000345");
    EXPECT_EQ(dollar_text({-1}), "-0.000000001");
}

TEST(Csv, quotes_what_would_break_a_line) {
    CallRecord call{
        .id = {1, 2}, .team = "a,\"b\"\n", .cost = {5}, .rates = {.input = 7}, .tags = {"x"}};
    EXPECT_EQ(csv_line(call),
              "00000000000000010000000000000002,,,,,\"a,\"\"b\"\"\n\",,,,,,,,,ok,0,0,0,0,0,false,"
              "0.000000005,[],\"[\"\"x\"\"]\",7,0,0,0,0\r\n");
    const auto commas = [](const std::string& line) { return std::ranges::count(line, ','); };
    EXPECT_EQ(commas(csv_header()), 28);
}

}  // namespace
}  // namespace brigada
