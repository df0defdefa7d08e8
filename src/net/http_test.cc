#include "net/http.h"

#include <gtest/gtest.h>

#include "net/http_grammar.h"

namespace brigada {
namespace {

TEST(HttpHeaders, finds_names_without_case_and_keeps_several_values_apart) {
    const HttpHeaders headers{{"X-Key", "a"}, {"Accept", "text/plain"}, {"x-key", "b"}, {"x", ""}};
    EXPECT_EQ(headers.get("x-KEY"), "a");
    EXPECT_EQ(headers.get_all("X-Key"), (std::vector<std::string_view>{"a", "b"}));
    EXPECT_EQ(headers.get("x"), "");
    EXPECT_EQ(headers.get("absent"), std::nullopt);
    EXPECT_EQ(headers[1].name, "Accept");
}

TEST(HttpHeaders, never_lets_a_value_end_its_line) {
    const HttpHeaders headers{{"x-id", "a\r\nset-cookie: b"}};
    EXPECT_EQ(headers.get("x-id"), "a  set-cookie: b");
}

TEST(HttpGrammar, sees_a_control_character_wherever_it_stands) {
    for (const char other : {'a', ' ', '~', '\x80', '\xff'}) {
        for (size_t size = 1; size <= 20; ++size) {
            for (size_t at = 0; at < size; ++at) {
                for (int c = 0; c < 256; ++c) {
                    std::string text(size, other);
                    text[at] = static_cast<char>(c);
                    ASSERT_EQ(has_control_char(text), c < 0x20 || c == 0x7f) << size << ' ' << c;
                }
            }
        }
    }
    EXPECT_FALSE(has_control_char(""));
}

TEST(HttpHeaders, reads_lists_over_several_fields) {
    const HttpHeaders headers{{"connection", "keep-alive , Upgrade"}, {"Connection", "Close"}};
    EXPECT_TRUE(headers.lists("connection", "upgrade"));
    EXPECT_TRUE(headers.lists("connection", "close"));
    EXPECT_FALSE(headers.lists("connection", "keep"));
}

TEST(HttpMethod, words_and_values_are_the_same_list) {
    for (const char* word : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
        EXPECT_EQ(to_string(parse_http_method(word).value()), word);
    EXPECT_FALSE(parse_http_method("get"));
    EXPECT_FALSE(parse_http_method("CONNECT"));
}

TEST(HttpReason, names_what_has_a_name) {
    EXPECT_EQ(http_reason(200), "OK");
    EXPECT_EQ(http_reason(431), "Request Header Fields Too Large");
    EXPECT_EQ(http_reason(100), "Continue");
    EXPECT_EQ(http_reason(529), "Overloaded");
    EXPECT_EQ(http_reason(299), "Unknown");
}

TEST(PercentDecode, decodes_escapes_and_refuses_broken_ones) {
    EXPECT_EQ(percent_decode("/a%20b%2Fc%e2%82%ac+").value(), "/a b/c\xe2\x82\xac+");
    for (const char* broken : {"%", "%4", "a%zz", "%0a", "%00", "%7f", "%-1"})
        EXPECT_FALSE(percent_decode(broken).ok()) << broken;
    EXPECT_EQ(percent_decode("x%g1y").error().message,
              "'%g1' is not a percent-escape; write a '%' as %25");
}

TEST(HttpRequest, finds_query_values) {
    HttpRequest request;
    request.query = "beta=true&empty&name=a%20b&beta=false&bad=%zz";
    EXPECT_EQ(request.query_value("beta"), "true");
    EXPECT_EQ(request.query_value("empty"), "");
    EXPECT_EQ(request.query_value("name"), "a b");
    EXPECT_EQ(request.query_value("bad"), "%zz");
    EXPECT_EQ(request.query_value("bet"), std::nullopt);
}

}  // namespace
}  // namespace brigada
