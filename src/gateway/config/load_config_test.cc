#include "gateway/config/load_config.h"

#include <gtest/gtest.h>

#include "gateway/config/fake_config.h"

namespace brigada {
namespace {

TEST(LoadConfig, an_empty_file_serves_nothing_and_says_so) {
    const auto loaded = FakeConfig{.files = {{"config.yaml", ""}}, .variables = {}}.load();
    EXPECT_EQ(notes_of(loaded),
              "config.yaml: no general_settings.master_key, and LITELLM_MASTER_KEY is not set: "
              "nobody can administer\n"
              "config.yaml: no model_list: no model is served");
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(loaded->config, GatewayConfig());
}

TEST(LoadConfig, reads_equal_texts_as_equal_and_sees_each_change) {
    const auto one = load_text(kCompleteConfig);
    ASSERT_TRUE(one.ok()) << one.error().message;
    EXPECT_EQ(notes_of(one), "");
    EXPECT_EQ(one->config, load_text("# a comment\n" + kCompleteConfig)->config);
    const auto other = load_text(kCompleteConfig + "router_settings: {num_retries: 1}\n");
    EXPECT_NE(one->config, other->config);
    EXPECT_NE(one->config.router, other->config.router);
    EXPECT_EQ(one->config.deployments, other->config.deployments);
}

TEST(LoadConfig, tells_all_that_is_wrong_at_once) {
    const auto loaded = load_text(
        "general_settings: {master_key: os.environ/NONE, max_request_size_mb: big}\n"
        "router_settings:\n"
        "  num_retries: -1\n"
        "  routing_strategy: least-bussy\n"
        "model_list:\n"
        "  - model_name: m\n"
        "  - litellm_params: {model: openai/m, api_base: \"ftp://h\"}\n");
    EXPECT_EQ(
        notes_of(loaded),
        "config.yaml:1:32: general_settings.master_key: the environment variable NONE is not "
        "set\n"
        "config.yaml:1:70: general_settings.max_request_size_mb: must be a number of "
        "megabytes, such as 32; got \"big\"\n"
        "config.yaml:4:21: router_settings.routing_strategy: must be one of session, "
        "round-robin, prefix-hash, simple-shuffle, least-busy, usage-based-routing-v2, "
        "usage-based-routing, latency-based-routing, cost-based-routing; got "
        "\"least-bussy\"; did you mean \"least-busy\"?\n"
        "config.yaml:3:16: router_settings.num_retries: must be a whole number from 0 to 100; "
        "got \"-1\"\n"
        "config.yaml:6:5: model_list[0]: litellm_params is missing\n"
        "config.yaml:7:5: model_list[1]: model_name is missing\n"
        "config.yaml:7:49: model_list[1].litellm_params.api_base: must begin with http:// or "
        "https://");
}

TEST(LoadConfig, an_unreadable_file_is_an_error_that_names_it) {
    EXPECT_EQ(notes_of(FakeConfig{}.load("none.yaml")), "none.yaml: cannot open");
    EXPECT_TRUE(notes_of(load_text("a: [")).starts_with("config.yaml:"));
    EXPECT_EQ(notes_of(load_text("- 1")), "config.yaml:1:1: must be a mapping; got a list");
}

TEST(LoadConfig, environment_variables_of_the_file_come_before_those_outside) {
    const auto loaded =
        FakeConfig{
            .files = {{"config.yaml",
                       "environment_variables: {KEY: sk-from-file, COPY: os.environ/OUTSIDE}\n"
                       "general_settings: {master_key: os.environ/KEY, "
                       "drain_endpoint_token: os.environ/COPY}\n"}},
            .variables = {{"KEY", "sk-outside"}, {"OUTSIDE", "token"}}}
            .load();
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(loaded->config.general.master_key, Secret("sk-from-file"));
    EXPECT_EQ(loaded->config.general.drain_token, Secret("token"));
}

TEST(LoadConfig, warns_of_what_is_named_and_not_there) {
    const auto loaded = load_text(kCompleteConfig +
                                  "router_settings:\n"
                                  "  fallbacks: [{m: [gone, m], lost: [m]}]\n"
                                  "  default_fallbacks: [m, away]\n"
                                  "  model_group_alias: {a: m, b: nothing}\n"
                                  "  model_group_retry_policy: {a: {TimeoutErrorRetries: 1}}\n"
                                  "brigada: {overload_fallbacks: [{\"*\": [a]}]}\n");
    EXPECT_EQ(
        notes_of(loaded),
        "config.yaml:6:32: router_settings.model_group_alias.b: model \"nothing\" is in no "
        "model_list\n"
        "config.yaml:4:19: router_settings.fallbacks[0].m: model \"gone\" is in no model_list\n"
        "config.yaml:4:36: router_settings.fallbacks[0].lost: model \"lost\" is in no "
        "model_list\n"
        "config.yaml:5:22: router_settings.default_fallbacks: model \"away\" is in no "
        "model_list");
}

// --- include ------------------------------------------------------------------------------------

TEST(LoadConfig, included_files_add_models_and_replace_settings) {
    const auto loaded =
        FakeConfig{
            .files =
                {{"etc/config.yaml",
                  "include: [models/a.yaml]\nrouter_settings: {num_retries: 1, timeout: 5}\n" +
                      kCompleteConfig},
                 {"etc/models/a.yaml",
                  "include: ../b.yaml\nrouter_settings: {num_retries: 2}\n"
                  "model_list: [{model_name: a, litellm_params: {model: m, api_base: "
                  "http://a}}]\n"},
                 {"etc/b.yaml",
                  "credential_list: [{credential_name: c, credential_values: {api_key: k}}]\n"
                  "model_list: [{model_name: b, litellm_params: {model: m, api_base: http://b, "
                  "litellm_credential_name: c}}]\n"}}}
            .load("etc/config.yaml");
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(notes_of(loaded), "");
    ASSERT_EQ(loaded->config.deployments.size(), 3u);
    EXPECT_EQ(loaded->config.deployments[0].model_name, "m");
    EXPECT_EQ(loaded->config.deployments[1].model_name, "a");
    EXPECT_EQ(loaded->config.deployments[2].api_key, Secret("k"));
    EXPECT_EQ(loaded->config.router.num_retries, 2);
    EXPECT_EQ(loaded->config.router.timeout, Duration::seconds(5));
}

TEST(LoadConfig, a_circle_of_includes_is_refused) {
    const auto loaded = FakeConfig{.files = {{"config.yaml", "include: [a.yaml]\n"},
                                             {"a.yaml", "include:\n  - ./b.yaml\n"},
                                             {"b.yaml", "include: [a.yaml]\n"}}}
                            .load();
    EXPECT_EQ(notes_of(loaded),
              "b.yaml:1:11: include[0]: a file that includes itself: a.yaml -> b.yaml -> a.yaml");
}

TEST(LoadConfig, a_file_is_included_once_and_a_missing_one_is_named) {
    FakeConfig config{.files = {{"config.yaml", "include: [a.yaml, a.yaml]\n" + kCompleteConfig},
                                {"a.yaml", "router_settings: {timeout: 1}\n"}}};
    EXPECT_EQ(notes_of(config.load()), "config.yaml:1:19: include[1]: a.yaml is included already");
    config.files.erase("a.yaml");
    EXPECT_EQ(notes_of(config.load()),
              "config.yaml:1:11: include[0]: a.yaml: cannot open\n"
              "config.yaml:1:19: include[1]: a.yaml: cannot open");
}

TEST(LoadConfig, the_number_of_files_is_bounded) {
    FakeConfig config;
    for (size_t i = 0; i < kMaxConfigFiles + 1; ++i)
        config.files[concat("f", i, ".yaml")] = concat("include: f", i + 1, ".yaml\n");
    EXPECT_EQ(notes_of(config.load("f0.yaml")), "f63.yaml:1:10: include: more than 64 files");
}

}  // namespace
}  // namespace brigada
