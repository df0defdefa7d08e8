#include "gateway/shared/redis_address.h"

namespace brigada {
namespace {

TEST(RedisAddress, reads_urls) {
    const auto read = [](std::string url) {
        return redis_address({.url = Secret(std::move(url))}).value();
    };
    EXPECT_EQ(read("redis://cache"), (RedisAddress{.host = "cache"}));
    EXPECT_EQ(read("redis://cache:7/3"), (RedisAddress{.host = "cache", .port = 7, .database = 3}));
    EXPECT_EQ(read("redis://:p%40ss@[::1]:7"),
              (RedisAddress{.host = "::1", .port = 7, .password = "p@ss"}));
    EXPECT_EQ(read("redis://ann:a:b@h/"),
              (RedisAddress{.host = "h", .user = "ann", .password = "a:b"}));
    EXPECT_EQ(read("rediss://:p@cache:7"),
              (RedisAddress{.host = "cache", .port = 7, .is_tls = true, .password = "p"}));
}

TEST(RedisAddress, takes_host_port_and_password) {
    EXPECT_EQ(redis_address({.host = "h", .port = 9, .password = Secret("p")}).value(),
              (RedisAddress{.host = "h", .port = 9, .password = "p"}));
}

TEST(RedisAddress, says_what_is_wrong_and_no_password) {
    for (const std::string url :
         {"rediss://:secret@", "http://:secret@h", "redis://:secret@", "redis://:secret@h:0",
          "redis://:secret@h:70000", "redis://:secret@h/x", "redis://:secret@h?db=1",
          "redis://:secret@[::1"}) {
        const auto read = redis_address({.url = Secret(url)});
        ASSERT_FALSE(read.ok()) << url;
        EXPECT_TRUE(read.error().message.starts_with("redis_url: ")) << read.error().message;
        EXPECT_EQ(read.error().message.find("secret"), std::string::npos);
    }
}

}  // namespace
}  // namespace brigada
