#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/config/fake_config.h"

namespace brigada {
namespace {

FakeConfig with_models(const std::string& list) {
    return {.files = {{"config.yaml",
                       "general_settings: {master_key: os.environ/KEY}\nmodel_list:\n" + list}}};
}

std::vector<Deployment> deployments_of(const FakeConfig& config) {
    const auto loaded = config.load();
    EXPECT_TRUE(loaded.ok()) << notes_of(loaded);
    EXPECT_EQ(notes_of(loaded), "");
    return loaded.ok() ? loaded->config.deployments : std::vector<Deployment>();
}

TEST(ModelList, reads_everything_a_deployment_may_say) {
    const auto got = deployments_of(with_models(R"(
  - model_name: coder
    litellm_params:
      model: hosted_vllm/org/coder
      api_key: sk-v
      api_base: https://a.example:8443/v1/
      organization: org-1
      ssl_verify: /etc/own-ca.pem
      ssl_certificate: /etc/me.pem
      ssl_certificate_key: /etc/me.key
      extra_headers: {X-One: "1", X-Two: os.environ/KEY}
      rpm: 600
      tpm: "1000000"
      max_parallel_requests: 8
      weight: 0.5
      order: 2
      timeout: 60
      stream_timeout: 1.5
      max_retries: 0
      cooldown_time: 7
      keepalive_seconds: 15
      tags: [free, eu]
      input_cost_per_token: 0.00000018
      output_cost_per_token: 7.2e-07
      cache_read_input_token_cost: 1.8e-08
      cache_creation_input_token_cost: 2e-07
      input_cost_per_token_above_200k_tokens: 3.6e-07
      output_cost_per_token_above_128k_tokens: 9e-07
      output_cost_per_token_above_200k_tokens: 1e-06
      input_cost_per_request: 0.001
    model_info:
      id: coder-1
      mode: responses
      base_model: qwen3-coder
      max_tokens: 4096
      max_input_tokens: 131072
      max_output_tokens: 8192
      access_groups: [beta]
      health_check_model: tiny
      health_check_timeout: 5
      health_check_max_tokens: 1
      disable_background_health_check: true
      supports_vision: true
      supported_endpoints: [/v1/responses, /chat/completions, /v1/responses]
      custom_tokenizer: {identifier: org/coder, revision: v2}
      input_cost_per_token: 1
      brigada:
        prefill_tokens_per_second: 20000
        decode_tokens_per_second: 90
        kv_tokens: 2000000
        kv_shared_by: all
        gpus: 4
        gpu_dollars_per_hour: 0.875
        total_decode_tokens_per_second: 2400
        busy_share: 0.6
        cached_cost_share: 0.05
        throughput: measured
)"));
    const std::vector<Deployment> expected = {{
        .id = "coder-1",
        .model_name = "coder",
        .provider = "hosted_vllm",
        .spoken = {Dialect::responses, Dialect::chat},
        .upstream_model = "org/coder",
        .address = UpstreamAddress{"https", "a.example", 8443, "/v1"},
        .tls = {.ca_file = "/etc/own-ca.pem",
                .certificate_file = "/etc/me.pem",
                .key_file = "/etc/me.key"},
        .api_key = Secret("sk-v"),
        .organization = "org-1",
        .extra_headers = {{"X-One", Secret("1")}, {"X-Two", Secret("sk-master")}},
        .rpm = 600,
        .tpm = 1'000'000,
        .max_parallel = 8,
        .weight_permille = 500,
        .order = 2,
        .tags = {"free", "eu"},
        .timeout = Duration::seconds(60),
        .stream_timeout = Duration::milliseconds(1500),
        .cooldown = Duration::seconds(7),
        .keepalive = Duration::seconds(15),
        .max_retries = 0,
        .prices = {"0.00000018", "1.8e-08", "2e-07", "7.2e-07", "0.001"},
        .price_tiers = {{128'000, {.output = "9e-07"}},
                        {200'000, {.input = "3.6e-07", .output = "1e-06"}}},
        .mode = "responses",
        .base_model = "qwen3-coder",
        .max_tokens = 4096,
        .max_input_tokens = 131'072,
        .max_output_tokens = 8192,
        .access_groups = {"beta"},
        .health_check = {"tiny", Duration::seconds(5), 1, false},
        .engine = {20'000, 90, 2'000'000, Money{3'500'000'000}, 2'400, 600, 50, true, true},
        .tokenizer = {.identifier = "org/coder", .revision = "v2"},
    }};
    EXPECT_EQ(got, expected);
}

/// What a deployment of `model` speaks with these words in its model_info.
std::vector<Dialect> spoken(const std::string& model, const std::string& info = "") {
    return deployments_of(with_models("  - {model_name: m, litellm_params: {model: " + model +
                                      ", api_base: http://h}, model_info: {" + info + "}}\n"))
        .at(0)
        .spoken;
}

TEST(ModelList, an_upstream_speaks_what_its_kind_does_unless_it_is_said) {
    using enum Dialect;
    using Dialects = std::vector<Dialect>;
    EXPECT_EQ(spoken("gpt"), (Dialects{chat, completions, embeddings, responses}));
    EXPECT_EQ(spoken("hosted_vllm/m"), (Dialects{chat, completions, embeddings}));
    EXPECT_EQ(spoken("anthropic/m"), (Dialects{messages, count_tokens}));
    EXPECT_EQ(spoken("openai/m", "mode: responses"), Dialects{responses});
    EXPECT_EQ(spoken("hosted_vllm/m", "supported_endpoints: [/v1/messages]"), Dialects{messages});
    const auto notes = [](const std::string& info) {
        return notes_of(with_models("  - {model_name: m, litellm_params: {model: m, api_base: "
                                    "http://h}, model_info: {" +
                                    info + "}}\n")
                            .load());
    };
    EXPECT_THAT(notes("supported_endpoints: [/v1/responses, /v1/batch]"),
                testing::HasSubstr("supported_endpoints[1]: \"/v1/batch\" is not served; "
                                   "/v1/chat/completions, "));
    EXPECT_THAT(notes("supported_endpoints: []"), testing::HasSubstr("must be a list of some of"));
}

/// A deployment with these lines in its litellm_params.
FakeConfig with_prices(const std::string& lines) {
    return with_models(
        "  - model_name: m\n    litellm_params:\n      model: openai/m\n"
        "      api_base: http://h\n" +
        lines);
}

TEST(ModelList, price_tiers_stand_in_any_order_and_come_from_both_places) {
    FakeConfig config = with_prices(
        "      input_cost_per_token: 1e-06\n"
        "      input_cost_per_token_above_500k_tokens: 4e-06\n"
        "      input_cost_per_token_above_128k_tokens: 2e-06\n"
        "      cache_read_input_token_cost_above_128k_tokens: 1e-07\n"
        "    model_info:\n"
        "      input_cost_per_token_above_256k_tokens: 3e-06\n"
        "      input_cost_per_token_above_128k_tokens: 9\n");  // litellm_params outranks it
    const auto got = deployments_of(config);
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got[0].price_tiers,
              (std::vector<PriceTierTexts>{{128'000, {.input = "2e-06", .cached_input = "1e-07"}},
                                           {256'000, {.input = "3e-06"}},
                                           {500'000, {.input = "4e-06"}}}));
}

TEST(ModelList, says_of_prices_above_a_length_what_is_wrong_with_them) {
    const std::string path = "model_list[0].litellm_params.";
    for (const char* end : {"200_tokens", "200k", "0200k_tokens", "2e2k_tokens", "0k_tokens",
                            "-1k_tokens", "k_tokens", "1000001k_tokens", "200k_tokens_more"}) {
        const std::string key = concat("output_cost_per_token_above_", end);
        EXPECT_EQ(
            notes_of(with_prices("      output_cost_per_token: 1\n      " + key + ": 2\n").load()),
            concat("config.yaml:8:", 9 + key.size(), ": ", path, key,
                   ": is ignored: a price above a length of prompt is written "
                   "output_cost_per_token_above_<N>k_tokens, N from 1 to 1000000 thousand "
                   "tokens"));
    }
    for (const char* key : {"input_cost_per_token_batches", "input_cost_per_token_flex",
                            "input_cost_per_token_above_200k_tokens_priority"})
        EXPECT_THAT(notes_of(with_prices(concat("      ", key, ": 2\n")).load()),
                    testing::HasSubstr(concat(path, key,
                                              ": has no effect: every call goes by "
                                              "input_cost_per_token")));
    EXPECT_THAT(notes_of(with_prices("      input_cost_per_token_above_128k_tokens: 2\n").load()),
                testing::HasSubstr("tokens of calls with up to 128000 prompt tokens cost nothing: "
                                   "input_cost_per_token is not given, only the price above that"));
}

TEST(ModelList, says_what_an_hours_price_lacks) {
    const auto notes = [](const std::string& facts) {
        return notes_of(with_prices("    model_info: {brigada: {" + facts + "}}\n").load());
    };
    const std::string place = "model_list[0].model_info.brigada.";
    EXPECT_THAT(notes("usd_per_hour: 8, prefill_tokens_per_second: 9"),
                testing::HasSubstr("litellm_params: tokens cost nothing: to price them by "
                                   "usd_per_hour, model_info.brigada needs"));
    EXPECT_THAT(notes("throughput: measured"),
                testing::HasSubstr("throughput: measured has no effect: it begins with"));
    EXPECT_THAT(notes("usd_per_hour: 8, gpu_dollars_per_hour: 1"),
                testing::HasSubstr(place + "gpu_dollars_per_hour: usd_per_hour, which is given "
                                           "too, is the price of all GPUs: one of the two"));
    EXPECT_THAT(notes("gpus: 100000, gpu_dollars_per_hour: 11"),
                testing::HasSubstr("at most a million dollars an hour; got \"11\""));
    EXPECT_THAT(notes("busy_share: 0"), testing::HasSubstr("must be more than 0, at most 1"));
    EXPECT_EQ(notes("usd_per_hour: 8, prefill_tokens_per_second: 9, "
                    "total_decode_tokens_per_second: 9"),
              "");
}

TEST(ModelList, says_what_is_wrong_with_a_tokenizer) {
    const auto notes = [](const std::string& tokenizer) {
        return notes_of(with_models("  - {model_name: a, litellm_params: {model: openai/m, "
                                    "api_base: http://h}, model_info: {custom_tokenizer: " +
                                    tokenizer + "}}\n")
                            .load());
    };
    using testing::HasSubstr;
    EXPECT_EQ(notes("{identifier: org/m}"), "");
    EXPECT_THAT(notes("{revision: main}"), HasSubstr("custom_tokenizer: identifier is missing"));
    EXPECT_THAT(notes("{identifier: ''}"), HasSubstr("must be a tokenizer.json, a folder"));
    EXPECT_THAT(notes("{identifier: org/m, auth_token: hf_1}"),
                HasSubstr("custom_tokenizer.auth_token"));
    EXPECT_THAT(notes("org/m"), HasSubstr("model_info.custom_tokenizer"));
}

TEST(ModelList, tls_is_that_of_litellm_settings_where_a_deployment_says_nothing) {
    FakeConfig config = with_models(
        "  - {model_name: a, litellm_params: {model: openai/m, api_base: https://h}}\n"
        "  - {model_name: b, litellm_params: {model: openai/m, api_base: https://h, ssl_verify: "
        "true}}\n"
        "litellm_settings: {ssl_verify: ca.pem, ssl_certificate: me.pem}\n");
    const auto got = deployments_of(config);
    ASSERT_EQ(got.size(), 2u);
    EXPECT_EQ(got[0].tls, (TlsSettings{.ca_file = "ca.pem", .certificate_file = "me.pem"}));
    EXPECT_EQ(got[1].tls, (TlsSettings{.certificate_file = "me.pem"}));
}

TEST(ModelList, the_part_before_the_slash_is_the_provider) {
    const auto got = deployments_of(with_models(
        "  - {model_name: a, litellm_params: {model: gpt-4o, api_base: http://h}}\n"
        "  - {model_name: b, litellm_params: {model: anthropic/claude, api_base: http://h}}\n"
        "  - {model_name: c, litellm_params: {model: org/m, custom_llm_provider: openai, "
        "base_url: http://h}}\n"
        "  - {model_name: \"openai/*\", litellm_params: {model: \"openai/*\", api_base: "
        "http://h}}\n"
        "  - {model_name: \"*\", litellm_params: {model: \"*\", api_base: http://h}}\n"));
    ASSERT_EQ(got.size(), 5u);
    EXPECT_EQ(got[0].provider, "openai");
    EXPECT_EQ(got[0].upstream_model, "gpt-4o");
    EXPECT_EQ(got[1].dialect, UpstreamDialect::anthropic);
    EXPECT_EQ(got[1].upstream_model, "claude");
    EXPECT_EQ(got[2].provider, "openai");
    EXPECT_EQ(got[2].upstream_model, "org/m");
    EXPECT_EQ(got[2].address->host, "h");
    EXPECT_EQ(upstream_model_for(got[3], "openai/gpt-4o"), "gpt-4o");
    EXPECT_EQ(upstream_model_for(got[4], "any"), "any");
}

TEST(ModelList, ids_are_given_or_made_and_always_differ) {
    const std::string twin =
        "  - {model_name: a, litellm_params: {model: openai/m, api_base: http://h}}\n";
    const std::string other =
        "  - {model_name: a, litellm_params: {model: openai/m, api_base: http://i}}\n";
    const auto got = deployments_of(with_models(twin + other + twin));
    ASSERT_EQ(got.size(), 3u);
    EXPECT_EQ(got[2].id, got[0].id + "-2");
    EXPECT_NE(got[1].id, got[0].id);
    EXPECT_EQ(got[0].id, deployments_of(with_models(other + twin)).at(1).id);
}

TEST(ModelList, keys_and_addresses_come_from_credentials_and_the_environment) {
    FakeConfig config = with_models(
        "  - {model_name: a, litellm_params: {model: openai/m, litellm_credential_name: c}}\n"
        "  - {model_name: b, litellm_params: {model: openai/m, litellm_credential_name: c, "
        "api_key: own}}\n"
        "  - {model_name: d, litellm_params: {model: anthropic/m}}\n");
    config.files["config.yaml"] +=
        "credential_list:\n"
        "  - credential_name: c\n"
        "    credential_values: {api_key: shared, api_base: \"http://c/v1\", organization: o}\n"
        "    credential_info: {description: for all}\n";
    config.variables["ANTHROPIC_API_KEY"] = "sk-ant";
    config.variables["ANTHROPIC_BASE_URL"] = "https://ant.example";
    const auto got = deployments_of(config);
    ASSERT_EQ(got.size(), 3u);
    EXPECT_EQ(got[0].api_key, Secret("shared"));
    EXPECT_EQ(got[0].address, (UpstreamAddress{"http", "c", 80, "/v1"}));
    EXPECT_EQ(got[0].organization, "o");
    EXPECT_EQ(got[1].api_key, Secret("own"));
    EXPECT_EQ(got[2].api_key, Secret("sk-ant"));
    EXPECT_EQ(got[2].address, (UpstreamAddress{"https", "ant.example", 443, ""}));

    config.variables["ANTHROPIC_BASE_URL"] = "ant.example";
    EXPECT_EQ(notes_of(config.load()),
              "config.yaml:5:5: model_list[2]: the environment variable ANTHROPIC_BASE_URL must "
              "begin with http:// or https://");
}

TEST(ModelList, a_key_of_the_environment_goes_to_no_address_of_the_file) {
    FakeConfig config = with_models(
        "  - {model_name: a, litellm_params: {model: openai/m, api_base: http://mine}}\n"
        "  - {model_name: b, litellm_params: {model: openai/m}}\n");
    config.variables["OPENAI_API_BASE"] = "https://hosted";
    config.variables["OPENAI_API_KEY"] = "sk-of-the-hosted-service";
    const auto got = deployments_of(config);
    ASSERT_EQ(got.size(), 2u);
    EXPECT_TRUE(got[0].api_key.empty());
    EXPECT_EQ(got[1].api_key, Secret("sk-of-the-hosted-service"));
}

TEST(ModelList, a_key_of_the_environment_with_a_line_break_is_refused) {
    FakeConfig config = with_models("  - {model_name: a, litellm_params: {model: openai/m}}\n");
    config.variables["OPENAI_API_BASE"] = "http://h";
    config.variables["OPENAI_API_KEY"] = "sk-1\n";
    EXPECT_EQ(notes_of(config.load()),
              "config.yaml:3:5: model_list[0]: the environment variable OPENAI_API_KEY must not "
              "contain line breaks or other control characters");
}

}  // namespace
}  // namespace brigada
