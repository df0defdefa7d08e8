// The two LiteLLM files that users bring start unchanged, and mean here what they meant there.
#include <gtest/gtest.h>

#include <map>

#include "gateway/config/fake_config.h"

namespace brigada {
namespace {

using Variables = std::map<std::string, std::string>;

std::string seed_path(const std::string& name) {
    return BRIGADA_TESTDATA "/config/" + name;
}

Result<LoadedConfig> load_seed(const std::string& name, const Variables& variables) {
    return load_config(seed_path(name), [&](std::string_view variable) {
        const auto found = variables.find(std::string(variable));
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
}

TEST(SeedConfigs, agents) {
    const auto loaded = load_seed(
        "litellm-agents.yaml",
        {{"DRAIN_TOKEN", "drain"}, {"REDIS_HOST", "redis.svc"}, {"LITELLM_MASTER_KEY", "sk-m"}});
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(loaded->warnings,
              std::vector<std::string>{
                  seed_path("litellm-agents.yaml") +
                  ":33:15: litellm_settings.callbacks[0]: callback \"langfuse_otel\" has no "
                  "effect; prometheus and otel have"});
    GatewayConfig expected;
    expected.deployments = {{
        .id = loaded->config.deployments.at(0).id,
        .model_name = "agentes-30b",
        .provider = "hosted_vllm",
        .spoken = {Dialect::chat, Dialect::completions, Dialect::embeddings},
        .upstream_model = "qwen3-coder-30b",
        .address = UpstreamAddress{"http", "vllm-agentes.inferencia.svc", 8000, "/v1"},
        .rpm = 600,
        .prices = {.input = "0.00000018", .output = "0.00000072"},
    }};
    expected.router.strategy = RoutingStrategy::simple_shuffle;
    expected.router.affinity.by_session = true;
    expected.router.num_retries = 2;
    expected.router.allowed_fails = 3;
    expected.router.cooldown = Duration::seconds(30);
    expected.router.timeout = Duration::seconds(600);
    AdmissionSettings& admission = expected.brigada.admission;
    admission.slots = 24;
    for (ClassSettings* each : {&admission.guaranteed, &admission.standard, &admission.batch}) {
        each->queue_requests = 48;
        each->queue_wait = Duration::seconds(1);
    }
    expected.general.master_key = Secret("sk-m");
    expected.general.batch_write_interval = Duration::seconds(60);
    expected.general.has_drain_endpoint = true;
    expected.general.drain_token = Secret("drain");
    expected.general.database_connections = 10;
    expected.callbacks.prometheus = true;
    expected.cache.enabled = true;
    expected.cache.store = CacheSettings::Store::redis;
    expected.cache.redis.host = "redis.svc";
    expected.cache.key_prefix = "litellm";
    EXPECT_EQ(loaded->config.deployments, expected.deployments);
    EXPECT_EQ(loaded->config.router, expected.router);
    EXPECT_EQ(loaded->config.general, expected.general);
    EXPECT_EQ(loaded->config.cache, expected.cache);
    EXPECT_EQ(loaded->config, expected);
}

TEST(SeedConfigs, multitenant) {
    const auto loaded =
        load_seed("litellm-multitenant.yaml", {{"VLLM_API_KEY", "sk-v"},
                                               {"OPENAI_API_KEY", "sk-o"},
                                               {"OPENAI_API_BASE", "https://api.example/v1"},
                                               {"LITELLM_MASTER_KEY", "sk-m"},
                                               {"DATABASE_URL", "postgresql://u:p@db/litellm"}});
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(loaded->warnings, std::vector<std::string>());
    const std::vector<Deployment>& got = loaded->config.deployments;
    ASSERT_EQ(got.size(), 3u);
    const std::vector<Dialect> kOpenAi = {Dialect::chat, Dialect::completions, Dialect::embeddings,
                                          Dialect::responses};
    GatewayConfig expected;
    expected.deployments = {
        {.id = got[0].id,
         .model_name = "llama-3-70b",
         .provider = "openai",
         .spoken = kOpenAi,
         .upstream_model = "llama-3-70b",
         .address = UpstreamAddress{"http", "vllm-llama3-70b.inference", 80, "/v1"},
         .api_key = Secret("sk-v")},
        {.id = got[1].id,
         .model_name = "qwen3-32b",
         .provider = "openai",
         .spoken = kOpenAi,
         .upstream_model = "qwen3-32b",
         .address = UpstreamAddress{"http", "vllm-qwen3-32b.inference", 80, "/v1"},
         .api_key = Secret("sk-v")},
        {.id = got[2].id,
         .model_name = "gpt-4o",
         .provider = "openai",
         .spoken = kOpenAi,
         .upstream_model = "gpt-4o",
         .address = UpstreamAddress{"https", "api.example", 443, "/v1"},
         .api_key = Secret("sk-o")},
    };
    expected.router.strategy = RoutingStrategy::usage_based;
    expected.router.fallbacks.general = {
        {.model = "llama-3-70b", .instead = {"qwen3-32b", "gpt-4o"}}};
    expected.general.master_key = Secret("sk-m");
    expected.general.database_url = Secret("postgresql://u:p@db/litellm");
    EXPECT_EQ(loaded->config, expected);
}

TEST(SeedConfigs, a_missing_variable_is_named_with_its_place) {
    const auto loaded = load_seed("litellm-multitenant.yaml", {{"OPENAI_API_KEY", "sk-o"}});
    ASSERT_FALSE(loaded.ok());
    const std::string path = seed_path("litellm-multitenant.yaml");
    const std::string vllm =
        ".litellm_params.api_key: the environment variable VLLM_API_KEY is "
        "not set\n";
    EXPECT_EQ(loaded.error().message,
              path +
                  ":21:15: general_settings.master_key: the environment variable "
                  "LITELLM_MASTER_KEY is not set\n" +
                  path +
                  ":22:17: general_settings.database_url: the environment variable "
                  "DATABASE_URL is not set\n" +
                  path + ":6:16: model_list[0]" + vllm + path + ":11:16: model_list[1]" +
                  vllm.substr(0, vllm.size() - 1));
}

TEST(SeedConfigs, an_upstream_without_address_is_a_warning) {
    const auto loaded =
        load_seed("litellm-multitenant.yaml", {{"VLLM_API_KEY", "sk-v"},
                                               {"OPENAI_API_KEY", "sk-o"},
                                               {"LITELLM_MASTER_KEY", "sk-m"},
                                               {"DATABASE_URL", "postgresql://db"}});
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(loaded->config.deployments.at(2).address, std::nullopt);
    EXPECT_EQ(notes_of(loaded), seed_path("litellm-multitenant.yaml") +
                                    ":14:7: model_list[2].litellm_params: is never called: it has "
                                    "no api_base, and OPENAI_API_BASE is not set");
}

}  // namespace
}  // namespace brigada
