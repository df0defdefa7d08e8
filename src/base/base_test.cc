#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <thread>

#include "base/append_all.h"
#include "base/digits.h"
#include "base/file.h"
#include "base/hex.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/mailbox.h"
#include "base/money.h"
#include "base/result.h"
#include "base/rng.h"
#include "base/time.h"

namespace brigada {
namespace {

Result<int> half(int n) {
    if (n % 2 != 0) return Error{Code::invalid_argument, concat(n, " is odd")};
    return n / 2;
}

Result<int> quarter(int n) {
    TRY(int h, half(n));
    TRY(int q, half(h));
    return q;
}

Result<void> must_be_even(int n) {
    TRY(half(n));
    return {};
}

TEST(Result, try_takes_the_value_or_returns_the_error) {
    EXPECT_EQ(quarter(12).value(), 3);
    EXPECT_EQ(quarter(6).error().message, "3 is odd");
    EXPECT_TRUE(must_be_even(4).ok());
    EXPECT_EQ(must_be_even(5).error().code, Code::invalid_argument);
}

TEST(Result, context_is_told_from_further_out) {
    EXPECT_EQ(Error(half(5).error()).in("reading").message, "reading: 5 is odd");
}

TEST(Check, ends_the_process_with_condition_and_values) {
    EXPECT_DEATH(CHECK(1 + 1 == 3, "sum=", 2), "1 \\+ 1 == 3: sum=2");
}

TEST(AppendAll, puts_texts_behind_what_is_there) {
    std::string out = "a";
    append_all(out, std::string("bc"), "", std::string_view("d"), "\r\n");
    EXPECT_EQ(out, "abcd\r\n");
    std::string expected = out;
    for (int i = 0; i < 100; ++i) {
        append_all(out, "x", std::string(3, 'y'));
        expected += "xyyy";
        ASSERT_EQ(out, expected);
    }
}

TEST(Digits, have_their_width) {
    std::string out;
    append_decimal(out, std::numeric_limits<int64_t>::min());
    append_decimal(out, 0);
    append_padded(out, 7, 3);
    append_padded(out, 1'234, 2);
    append_padded(out, 18'446'744'073'709'551'615u, 20);
    append_hex(out, 0xab);
    EXPECT_EQ(out,
              "-92233720368547758080"
              "0073418446744073709551615"
              "00000000000000ab");
}

TEST(Hex, has_two_digits_for_a_byte) {
    EXPECT_EQ(hex_of(std::array<uint8_t, 4>{0x00, 0x0a, 0x9f, 0xff}), "000a9fff");
    EXPECT_EQ(hex_of({}), "");
}

TEST(Rng, is_the_same_everywhere) {
    // xoshiro256** seeded by splitmix64(0): first output of the authors' reference code.
    Rng rng(0);
    EXPECT_EQ(rng.next(), 0x99ec5f36cb75f2b4);
    EXPECT_EQ(rng.next(), 0xbf6e1f784956452a);
}

TEST(Rng, below_reaches_every_value_and_no_other) {
    Rng rng(1);
    std::set<uint64_t> seen;
    for (int i = 0; i < 1000; ++i)
        seen.insert(rng.below(7));
    EXPECT_EQ(seen.size(), 7u);
    EXPECT_EQ(*seen.rbegin(), 6u);
}

TEST(Time, instants_and_durations_are_integers) {
    const Instant start = Instant::at_ns(100);
    EXPECT_EQ((start + Duration::milliseconds(2)) - start, Duration::microseconds(2000));
    EXPECT_LT(start, Instant::never());
}

TEST(Json, errors_name_the_thing_and_the_byte) {
    EXPECT_EQ(parse_json(R"({"a": 1})", "body")->at("a"), 1);
    const auto bad = parse_json(R"({"a": })", "body");
    EXPECT_EQ(bad.error().message, "body: not valid JSON at byte 7 of 7");
}

TEST(Json, what_follows_a_zero_byte_is_not_overlooked) {
    EXPECT_EQ(parse_json(std::string_view("2.5\0x", 5), "body").error().message,
              "body: not valid JSON at byte 4 of 5");
}

TEST(Json, absurd_nesting_is_refused_before_it_is_built) {
    const std::string deep(1'000'000, '[');
    EXPECT_EQ(parse_json(deep, "body").error().code, Code::invalid_argument);
}

TEST(Json, invalid_utf8_is_replaced_not_thrown) {
    EXPECT_EQ(dump_json(Json("a\xff")), "\"a\xef\xbf\xbd\"");
}

TEST(Mailbox, refuses_when_full_and_keeps_order) {
    Mailbox<int> box(2);
    EXPECT_TRUE(box.try_send(1));
    EXPECT_TRUE(box.try_send(2));
    EXPECT_FALSE(box.try_send(3));
    EXPECT_EQ(box.take_all(), (std::vector<int>{1, 2}));
    EXPECT_TRUE(box.take_all().empty());
}

TEST(Mailbox, closing_wakes_the_receiver_and_keeps_what_waits) {
    Mailbox<int> box(2);
    EXPECT_TRUE(box.try_send(1));
    std::thread closer([&] { box.close(); });
    closer.join();
    EXPECT_EQ(box.wait_all(Duration::seconds(60)), std::vector<int>{1});
    EXPECT_FALSE(box.try_send(2));
}

TEST(File, failures_name_the_path) {
    EXPECT_EQ(read_file("/nonexistent/x", 10).error().code, Code::not_found);
    const Path path = Path(testing::TempDir()) / "brigada_file_test";
    std::ofstream(path) << "twelve bytes";
    EXPECT_EQ(*read_file(path, 12), "twelve bytes");
    EXPECT_EQ(read_file(path, 11).error().code, Code::too_large);
    const auto map = Mapping::open(path);
    EXPECT_EQ(map->bytes().size(), 12u);
    EXPECT_EQ(Mapping::open("/").error().code, Code::invalid_argument);
    std::filesystem::remove(path);
}

TEST(Money, shows_every_nano_dollar_and_no_more) {
    EXPECT_EQ(decimal_dollars({}), "0.00");
    EXPECT_EQ(decimal_dollars(Money::dollars(12)), "12.00");
    EXPECT_EQ(decimal_dollars({12'500'000'000}), "12.50");
    EXPECT_EQ(decimal_dollars({10'400}), "0.0000104");
    EXPECT_EQ(decimal_dollars({-1}), "-0.000000001");
    EXPECT_EQ(decimal_dollars({INT64_MIN}), "-9223372036.854775808");
}

}  // namespace
}  // namespace brigada
