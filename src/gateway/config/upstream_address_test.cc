#include "gateway/config/upstream_address.h"

#include <gtest/gtest.h>

namespace brigada {
namespace {

TEST(UpstreamAddress, is_cut_into_its_parts) {
    struct Case {
        const char* text;
        UpstreamAddress expected;
    };
    const Case cases[] = {
        {"http://a.example", {"http", "a.example", 80, ""}},
        {"https://a.example/", {"https", "a.example", 443, ""}},
        {"http://vllm.example:8000/v1", {"http", "vllm.example", 8000, "/v1"}},
        {"https://a.example:8443/a/b//", {"https", "a.example", 8443, "/a/b"}},
        {"http://[::1]:9/v1", {"http", "::1", 9, "/v1"}},
        {"http://[::1]", {"http", "::1", 80, ""}},
    };
    for (const Case& c : cases) {
        const auto address = parse_upstream_address(c.text);
        ASSERT_TRUE(address.ok()) << c.text << ": " << address.error().message;
        EXPECT_EQ(*address, c.expected) << c.text;
    }
}

TEST(UpstreamAddress, says_what_is_wrong) {
    struct Case {
        const char* text;
        const char* expected;
    };
    const Case cases[] = {
        {"", "must begin with http:// or https://"},
        {"a.example:80", "must begin with http:// or https://"},
        {"http://", "names no host"},
        {"http://:80", "names no host"},
        {"http://a b", "must be plain ASCII without blanks"},
        {"http://h\r\nX: y", "must be plain ASCII without blanks"},
        {"http://me:secret@h/v1",
         "must not contain a user name or password; give a key as api_key"},
        {"http://h/v1?x=1", "must not contain '?' or '#'"},
        {"http://h:0", "its port must be a number from 1 to 65535"},
        {"http://h:65536", "its port must be a number from 1 to 65535"},
        {"http://h:8o", "its port must be a number from 1 to 65535"},
        {"http://::1/v1", "an IPv6 address needs brackets, as in [::1]:8000"},
        {"http://[::1", "the bracket of its IPv6 address is not closed"},
        {"http://[::1]8000", "after ']' only :PORT may follow"},
    };
    for (const Case& c : cases) {
        const auto address = parse_upstream_address(c.text);
        ASSERT_FALSE(address.ok()) << c.text;
        EXPECT_EQ(address.error().message, c.expected) << c.text;
    }
}

TEST(ListenAddress, takes_a_port_and_perhaps_a_host) {
    EXPECT_EQ(*parse_listen_address("127.0.0.1:4000"), (ListenAddress{"127.0.0.1", 4000}));
    EXPECT_EQ(*parse_listen_address("[::]:80"), (ListenAddress{"::", 80}));
    EXPECT_EQ(*parse_listen_address(":80"), (ListenAddress{"0.0.0.0", 80}));
    EXPECT_EQ(parse_listen_address("localhost").error().message,
              "must be HOST:PORT, as in 0.0.0.0:4000");
    EXPECT_EQ(parse_listen_address("h:http").error().message,
              "its port must be a number from 1 to 65535");
}

}  // namespace
}  // namespace brigada
