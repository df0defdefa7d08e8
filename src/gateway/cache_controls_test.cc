#include "gateway/cache_controls.h"

#include <gtest/gtest.h>

namespace brigada {
namespace {

CacheControls controls(const char* text) {
    auto out = read_cache_controls(*parse_json(text, "cache"), "cache");
    EXPECT_TRUE(out.ok()) << text;
    return out.ok() ? std::move(out).value() : CacheControls{};
}

TEST(CacheControls, reads_litellms_words) {
    const CacheControls all =
        controls(R"({"use-cache":true,"no-cache":true,"no-store":false,"ttl":60,"s-maxage":1.5,)"
                 R"("namespace":"n","unknown":1})");
    EXPECT_EQ(all.use_cache, true);
    EXPECT_TRUE(all.no_cache);
    EXPECT_FALSE(all.no_store);
    EXPECT_EQ(all.ttl, Duration::seconds(60));
    EXPECT_EQ(all.s_maxage, Duration::milliseconds(1'500));
    EXPECT_EQ(all.name_space, "n");
    EXPECT_EQ(controls("false").use_cache, false);
    EXPECT_EQ(controls("null").use_cache, std::nullopt);
    EXPECT_EQ(controls(R"({"ttl":null})").ttl, std::nullopt);
}

TEST(CacheControls, says_what_is_wrong) {
    const std::pair<const char*, const char*> kFaults[] = {
        {"[]", "cache: must be an object, true or false"},
        {R"({"no-cache":1})", "cache.no-cache: must be true or false"},
        {R"({"ttl":"1m"})", "cache.ttl: must be a number of seconds"},
        {R"({"ttl":-1})", "cache.ttl: must be between 0 seconds and a year"},
        {R"({"s-maxage":1e300})", "cache.s-maxage: must be between 0 seconds and a year"},
        {R"({"namespace":7})", "cache.namespace: must be text"}};
    for (const auto& [text, words] : kFaults) {
        const auto out = read_cache_controls(*parse_json(text, "cache"), "cache");
        ASSERT_FALSE(out.ok()) << text;
        EXPECT_EQ(out.error().message, words);
    }
}

TEST(CacheControls, the_narrower_word_counts_and_what_is_forbidden_stays_so) {
    const CacheControls both = merged(controls(R"({"ttl":5,"no-store":true})"),
                                      controls(R"({"ttl":9,"s-maxage":3,"no-cache":true})"));
    EXPECT_EQ(both.ttl, Duration::seconds(5));
    EXPECT_EQ(both.s_maxage, Duration::seconds(3));
    EXPECT_TRUE(both.no_cache && both.no_store);
    EXPECT_EQ(merged(controls("true"), controls("false")).use_cache, true);
}

TEST(CachePlan, follows_the_configuration_unless_a_call_says_otherwise) {
    const CacheSettings on{.enabled = true, .ttl = Duration::seconds(60)};
    const CacheSettings asked{.enabled = true, .on_by_default = false};
    EXPECT_FALSE(cache_plan({}, Dialect::chat, controls("true")));
    EXPECT_FALSE(cache_plan(asked, Dialect::chat, {}));
    EXPECT_FALSE(cache_plan(on, Dialect::chat, controls("false")));
    EXPECT_FALSE(cache_plan(on, Dialect::chat, controls(R"({"no-cache":true,"no-store":true})")));
    EXPECT_TRUE(cache_plan(asked, Dialect::chat, controls(R"({"use-cache":true})")));
    const auto plan = cache_plan(on, Dialect::chat, controls(R"({"no-cache":true})"));
    ASSERT_TRUE(plan.has_value());
    EXPECT_FALSE(plan->reads);
    EXPECT_TRUE(plan->writes);
    EXPECT_EQ(plan->ttl, Duration::seconds(60));
}

TEST(CachePlan, keeps_to_the_call_types_of_the_configuration) {
    const CacheSettings some{.enabled = true, .call_types = {"acompletion", "embedding"}};
    EXPECT_TRUE(cache_plan(some, Dialect::chat, {}));
    EXPECT_TRUE(cache_plan(some, Dialect::embeddings, {}));
    EXPECT_FALSE(cache_plan(some, Dialect::completions, {}));
    EXPECT_FALSE(cache_plan(some, Dialect::messages, {}));
}

}  // namespace
}  // namespace brigada
