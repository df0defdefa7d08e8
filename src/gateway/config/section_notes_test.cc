// What the sections say of values that are wrong and of keys without effect, word for word.
#include <gtest/gtest.h>

#include "gateway/config/fake_config.h"

namespace brigada {
namespace {

/// `text` is the whole file beside a complete configuration; the place in `expected` is its own.
struct Case {
    const char* text;
    const char* expected;
};

std::string notes_beside_a_complete_config(const std::string& text) {
    return notes_of(FakeConfig{
        .files = {{"config.yaml", kCompleteConfig + "include: f.yaml\n"}, {"f.yaml", text + "\n"}}}
                        .load());
}

TEST(Notes, errors) {
    const Case cases[] = {
        {"credential_list: [{credential_values: {}}]",
         "f.yaml:1:19: credential_list[0]: credential_name is missing"},
        {"brigada: {listen: here}",
         "f.yaml:1:19: brigada.listen: must be HOST:PORT, as in 0.0.0.0:4000"},
        {"general_settings: {maximum_spend_logs_retention_period: 10m}",
         "f.yaml:1:57: general_settings.maximum_spend_logs_retention_period: must be an hour or "
         "more, such as 30d; got \"10m\""},
        {"brigada: {budget_status: 500}",
         "f.yaml:1:26: brigada.budget_status: must be one of 429, 400; got \"500\""},
        {"brigada: {default_class: bach}",
         "f.yaml:1:26: brigada.default_class: must be one of guaranteed, standard, batch; got "
         "\"bach\"; did you mean \"batch\"?"},
        {"brigada: {webhook_url: hooks}",
         "f.yaml:1:24: brigada.webhook_url: must begin with http:// or https://"},
        {"brigada: {slots: 4, classes: {guaranteed: {floor: 3}, standard: {floor: 2}}}",
         "f.yaml:1:30: brigada.classes: the floors of the classes are 5 slots together; there are "
         "4"},
        {"brigada: {slots: 10, classes: {batch: {floor: 6}}}",
         "f.yaml:1:31: brigada.classes: a floor of 6 slots is over the class's share of 5"},
        {"litellm_settings: {cache_params: {type: redis}}",
         "f.yaml:1:34: litellm_settings.cache_params: type redis needs a host or a url"},
        {"litellm_settings: {cache_params: {type: local, mode: on}}",
         "f.yaml:1:54: litellm_settings.cache_params.mode: must be one of default_on, default_off; "
         "got \"on\""},
        {"litellm_settings: {ssl_verify: maybe}",
         "f.yaml:1:32: litellm_settings.ssl_verify: must be true or false; got \"maybe\""},
        {"litellm_settings: {ssl_certificate_key: key.pem}",
         "f.yaml:1:41: litellm_settings.ssl_certificate_key: needs the ssl_certificate that it "
         "belongs to"},
        {"router_settings: {fallbacks: {m: [m]}}",
         "f.yaml:1:30: router_settings.fallbacks: must be a list; got a mapping"},
        {"router_settings: {model_group_alias: {a: {hidden: true}}}",
         "f.yaml:1:42: router_settings.model_group_alias.a: model is missing"},
        {"model_list: [{model_name: x, litellm_params: {api_base: http://h}}]",
         "f.yaml:1:46: model_list[0].litellm_params: model is missing"},
        {"model_list: [{model_name: x, litellm_params: {model: openai/, api_base: http://h}}]",
         "f.yaml:1:54: model_list[0].litellm_params.model: must be PROVIDER/MODEL; got "
         "\"openai/\""},
        {"model_list: [{model_name: x, litellm_params: {model: [], api_base: http://h}}]",
         "f.yaml:1:54: model_list[0].litellm_params.model: must be a text; got a list"},
        {"model_list: [{model_name: x, litellm_params: {model: x, api_base: http://h, api_key: "
         "\"k\\n\"}}]",
         "f.yaml:1:86: model_list[0].litellm_params.api_key: must not contain line breaks or other "
         "control characters"},
        {"model_list: [{model_name: x, litellm_params: {model: x, api_base: http://h, "
         "extra_headers: {\"a b\": c}}}]",
         "f.yaml:1:100: model_list[0].litellm_params.extra_headers[\"a b\"]: is no name of a "
         "header"},
        {"model_list: [{model_name: \"\", litellm_params: {model: x, api_base: http://h}}]",
         "f.yaml:1:27: model_list[0].model_name: must be a name; got \"\""},
        {"model_list: [{model_name: a**, litellm_params: {model: x, api_base: http://h}}]",
         "f.yaml:1:27: model_list[0].model_name: at most one '*' is understood, in the name and in "
         "the model"},
        {"model_list: [{model_name: x, litellm_params: {model: openai/*, api_base: http://h}}]",
         "f.yaml:1:27: model_list[0].model_name: the model has a '*', so the name needs one that "
         "says what it stands for"},
        {"model_list: [{model_name: x, litellm_params: {model: x, api_base: http://h, weight: "
         "-1}}]",
         "f.yaml:1:85: model_list[0].litellm_params.weight: must be a weight from 0 to a million, "
         "at most 3 digits after the point; got \"-1\""},
        {"model_list: [{model_name: x, litellm_params: {model: x, api_base: http://h, "
         "litellm_credential_name: none}}]",
         "f.yaml:1:102: model_list[0].litellm_params.litellm_credential_name: \"none\" is not in "
         "credential_list"},
        {"model_list: [{model_name: x, litellm_params: {model: x, api_base: http://h}, "
         "model_info: {id: i}}, {model_name: y, litellm_params: {model: x, api_base: http://h}, "
         "model_info: {id: i}}]",
         "f.yaml:1:100: model_list[1]: model_info.id \"i\" is another deployment's already"},
    };
    for (const Case& c : cases)
        EXPECT_EQ(notes_beside_a_complete_config(c.text), c.expected) << c.text;
}

TEST(Notes, warnings) {
    const Case cases[] = {
        {"model_lst: []",
         "f.yaml:1:1: model_lst: unknown key, ignored; did you mean \"model_list\"?"},
        {"router_settings: {num_retrys: 1}",
         "f.yaml:1:19: router_settings.num_retrys: unknown key, ignored; did you mean "
         "\"num_retries\"?"},
        {"callback_settings: {}",
         "f.yaml:1:1: callback_settings: has no effect: callbacks have no settings here"},
        {"general_settings: {master_key: sk-1}",
         "f.yaml:1:32: general_settings.master_key: is written in the file; "
         "os.environ/LITELLM_MASTER_KEY keeps it out"},
        {"general_settings: {custom_auth: x.y}",
         "f.yaml:1:20: general_settings.custom_auth: has no effect: clients are known by their "
         "keys only"},
        {"general_settings: {alerting: [slack]}",
         "f.yaml:1:30: general_settings.alerting: alerting by \"slack\" has no effect; webhook "
         "has"},
        {"litellm_settings: {cache_params: {type: s3}}",
         "f.yaml:1:41: litellm_settings.cache_params.type: cache type \"s3\" is not supported, "
         "answers are kept in memory; local and redis are"},
        {"litellm_settings: {callbacks: [langfuse]}",
         "f.yaml:1:32: litellm_settings.callbacks[0]: callback \"langfuse\" has no effect; "
         "prometheus and otel have"},
        {"litellm_settings: {priority_reservation: {prod: 0.9}}",
         "f.yaml:1:20: litellm_settings.priority_reservation: has no effect: shares of the classes "
         "are set in brigada.classes"},
        {"model_list: [{model_name: x, litellm_params: {model: x, api_base: https://h, "
         "ssl_verify: false}}]",
         "f.yaml:1:46: model_list[0].litellm_params: ssl_verify is false: whoever answers there "
         "gets every prompt and the key"},
        {"router_settings: {optional_pre_call_checks: [router_budget_limiting]}",
         "f.yaml:1:46: router_settings.optional_pre_call_checks[0]: \"router_budget_limiting\" has "
         "no effect; session_affinity, deployment_affinity, responses_api_deployment_check and "
         "prompt_caching have"},
        {"model_list: [{model_name: x, litellm_params: {model: azure/x, api_base: http://h}}]",
         "f.yaml:1:54: model_list[0].litellm_params.model: provider \"azure\" is called as a "
         "server that speaks OpenAI's protocol"},
        {"model_list: [{model_name: x, litellm_params: {model: x, api_base: http://h, "
         "mock_response: hi}}]",
         "f.yaml:1:77: model_list[0].litellm_params.mock_response: has no effect: answers come "
         "from "
         "upstreams only"},
        {"model_list: [{model_name: x, litellm_params: {model: x, api_base: http://h}, "
         "model_info: {mode: image_generation}}]",
         "f.yaml:1:97: model_list[0].model_info.mode: \"image_generation\" is not served; chat, "
         "completion, embedding and responses are"},
    };
    for (const Case& c : cases)
        EXPECT_EQ(notes_beside_a_complete_config(c.text), c.expected) << c.text;
}

TEST(Notes, never_repeat_a_secret) {
    const std::string notes = notes_beside_a_complete_config(
        "model_list: [{model_name: x, litellm_params: {model: x, api_key: [sk-hidden], "
        "api_base: http://user:sk-hidden@h, rpm: os.environ/KEY}}]");
    EXPECT_EQ(notes,
              "f.yaml:1:66: model_list[0].litellm_params.api_key: must be a text; got a list\n"
              "f.yaml:1:89: model_list[0].litellm_params.api_base: must not contain a user name or "
              "password; give a key as api_key\n"
              "f.yaml:1:119: model_list[0].litellm_params.rpm: must be a whole number from 1 to "
              "1000000000000; got what os.environ/KEY holds");
}

}  // namespace
}  // namespace brigada
