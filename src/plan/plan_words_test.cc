#include "plan/plan_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/report.h"

namespace brigada {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<PlanRequest> from_yaml(std::string_view text) {
    TRY(const PlanWords words, read_plan_yaml(text, "plan.yaml"));
    return understand(words);
}

std::string fault(std::string_view text) {
    const Result<PlanRequest> request = from_yaml(text);
    if (!request) return request.error().message;
    const Result<void> checked = check_request(*request);
    return checked.ok() ? "" : checked.error().message;
}

TEST(PlanWords, a_file_says_all_that_flags_say) {
    const Result<PlanRequest> request = from_yaml(
        "developers: 35\n"
        "model: qwen3-32b\n"
        "gpu: [h100 sxm 80gb, rtx 4090]\n"
        "tp: [1, 2]\n"
        "kv_dtype: fp8\n"
        "ram_tier: [0, 128]\n"
        "ttft_p90: 4\n"
        "peak_factor: 2\n"
        "profile: {name: chat, prompt_tokens: 1600, output_tokens: 500}\n"
        "tenants: {ana: 80000, luis: 30000}\n");
    ASSERT_TRUE(request.ok()) << request.error().message;
    EXPECT_EQ(request->developers, 35);
    EXPECT_EQ(request->accelerators.size(), 2u);
    EXPECT_EQ(request->tensor_parallel, (std::vector<uint32_t>{1, 2}));
    EXPECT_EQ(request->kv_dtypes, std::vector{KvDtype::fp8});
    EXPECT_EQ(request->ram_tiers[1], 128.0 * 1024 * 1024 * 1024);
    EXPECT_EQ(request->targets.ttft_p90_s, 4);
    EXPECT_EQ(request->workload.name, "chat");
    EXPECT_EQ(request->workload.prompt_tokens, 1600);
    const Workload chat = *find_workload("chat");
    EXPECT_NEAR(value_at(request->workload.outputs, 0.5),
                value_at(chat.outputs, 0.5) * 500 / chat.output_tokens, 1e-6);
    EXPECT_EQ(request->tenants.size(), 2u);
}

TEST(PlanWords, an_accelerator_may_be_declared) {
    const Result<PlanRequest> request = from_yaml(
        "model: qwen3-8b\n"
        "gpu:\n"
        "  - {name: my card, memory_gib: 48, bandwidth_gb_s: 900, bf16_tflops: 200}\n");
    ASSERT_TRUE(request.ok()) << request.error().message;
    EXPECT_EQ(request->accelerators.front().name, "my card");
}

TEST(PlanWords, faults_have_a_place_and_say_what_works) {
    EXPECT_THAT(fault("model: qwen3-32b\ndevelopers: many\n"),
                AllOf(StartsWith("plan.yaml:2:13: developers: 'many'"), HasSubstr("number")));
    EXPECT_THAT(fault("model: qwen3-32b\ndeveloper: 3\n"),
                AllOf(StartsWith("plan.yaml:2:1: developer: unknown"), HasSubstr("developers")));
    EXPECT_THAT(fault("model: qwen3-32b\nprofile: gamer\n"),
                AllOf(HasSubstr("plan.yaml:2:10: profile"), HasSubstr("claude-code")));
    EXPECT_THAT(fault("model: qwen3-32b\ntpot: [1, 2]\n"), HasSubstr("tpot: one value is wanted"));
    EXPECT_THAT(fault("model: qwen3-32b\nprofile: {prompt: 3}\n"), HasSubstr("prompt_tokens"));
    EXPECT_THAT(fault("model: [\n"), StartsWith("plan.yaml:2:1: "));
    EXPECT_THAT(fault("- 3\n"), HasSubstr("a map of fields is wanted"));
    EXPECT_THAT(fault("developers: 20\n"), StartsWith("model: none"));
    EXPECT_THAT(fault("model: qwen3-33b\n"), HasSubstr("qwen3-32b"));
    EXPECT_THAT(fault("model: qwen3-32b\nkv_dtype: fp7\n"), HasSubstr("plan.yaml:2:11: kv_dtype"));
    EXPECT_THAT(fault("model: qwen3-32b\nweights: int3\n"), HasSubstr("int4"));
}

TEST(PlanWords, nobody_and_contradictions_are_refused) {
    EXPECT_THAT(fault("model: qwen3-32b\ndevelopers: 0\n"), HasSubstr("nobody needs no hardware"));
    EXPECT_THAT(fault("model: qwen3-32b\ndevelopers: -3\n"), StartsWith("developers: -3"));
    EXPECT_THAT(fault("model: qwen3-32b\ndevelopers: 2\nsessions_per_hour: 3\n"),
                HasSubstr("contradicts developers"));
    EXPECT_THAT(fault("model: qwen3-32b\ntpot: 0.05\ninteractivity: 60\n"),
                HasSubstr("contradicts tpot"));
    EXPECT_THAT(fault("model: qwen3-32b\nttft_p90: 0\n"), HasSubstr("more than 0"));
    EXPECT_THAT(fault("model: qwen3-32b\nprofile: {reuse: 2}\n"), StartsWith("profile.reuse: 2"));
    EXPECT_THAT(fault("model: qwen3-32b\nutilisation: 7\n"), StartsWith("utilisation: 7"));
}

TEST(PlanWords, later_words_count) {
    PlanWords words = *read_plan_yaml("developers: 20\nmodel: qwen3-32b\n", "plan.yaml");
    PlanWords flags;
    flags.say("developers", {{.text = "7", .place = "--developers"}});
    words.add(flags);
    EXPECT_EQ(understand(words)->developers, 7);
}

TEST(Request, sessions_an_hour_are_people_by_littles_law) {
    PlanRequest request;
    request.workload.session_s = 62.6 * 60;
    request.sessions_per_hour = 20;
    EXPECT_NEAR(people(request), 20 * 62.6 / 60, 1e-9);
}

}  // namespace
}  // namespace brigada
