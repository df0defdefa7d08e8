#include "plan/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/emit/emit.h"
#include "plan/emit/engine_flags.h"
#include "plan/html/plan_page.h"
#include "plan/plan_test_parts.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

PlanRequest twenty_developers() {
    PlanRequest request;
    request.developers = 20;
    request.workload = *find_workload("claude-code", 131'072);
    request.model = model_config("Qwen__Qwen3-32B-FP8");
    request.model.max_context = 131'072;
    request.model_name = "Qwen/Qwen3-32B-FP8";
    request.accelerators = {*find_accelerator("H100 SXM 80GB"), *find_accelerator("RTX 4090")};
    return request;
}

const PlanReport& the_plan() {
    static const PlanReport report = *make_plan(twenty_developers());
    return report;
}

TEST(Plan, the_chosen_fleet_meets_the_targets_with_its_spare_lost_and_is_the_cheapest_that_does) {
    const PlanReport& report = the_plan();
    ASSERT_TRUE(report.chosen);
    EXPECT_TRUE(misses(report.request.targets, report.chosen->degraded).empty());
    for (const PlanOption& option : report.result.met)
        EXPECT_GE(option.money->per_hour, report.chosen->money->per_hour);
    const PlanCandidate& candidate = report.chosen->candidate;
    const Situation replica = *situation_of(report.request, candidate);
    if (report.chosen->replicas > 2) {
        const PlanOption fewer =
            option_with(report.request, candidate, replica, report.chosen->replicas - 1, 1);
        EXPECT_FALSE(fewer.misses.empty() && !fewer.degraded.saturated);
    }
}

TEST(Plan, what_can_not_be_is_listed_with_its_reason) {
    const PlanReport& report = the_plan();
    ASSERT_FALSE(report.result.rejected.empty());
    for (const Rejected& rejected : report.result.rejected)
        EXPECT_FALSE(rejected.reason.empty());
}

TEST(Plan, the_front_gets_dearer_and_better) {
    const std::vector<PlanOption>& front = the_plan().result.front;
    ASSERT_FALSE(front.empty());
    for (size_t i = 1; i < front.size(); ++i) {
        EXPECT_GE(front[i].money->per_hour, front[i - 1].money->per_hour);
        EXPECT_LT(front[i].tightness, front[i - 1].tightness);
    }
}

TEST(Plan, it_breaks_just_after_the_people_it_says) {
    const PlanReport& report = the_plan();
    EXPECT_GE(report.breaking.people, 20);
    PlanRequest more = report.request;
    more.developers = report.breaking.people * 1.03 + 1;
    const Situation replica = *situation_of(more, report.chosen->candidate);
    const PlanOption same =
        option_with(more, report.chosen->candidate, replica, report.chosen->replicas, 0);
    EXPECT_FALSE(same.misses.empty() && !same.normal.saturated);
}

TEST(Plan, scenarios_are_worse_than_the_plan) {
    const std::vector<Scenario>& scenarios = the_plan().scenarios;
    ASSERT_GE(scenarios.size(), 6u);
    EXPECT_EQ(scenarios.front().name, "as planned");
    EXPECT_NEAR(scenarios.front().prefill, 1, 1e-9);
    for (const Scenario& one : scenarios)
        EXPECT_GE(one.figures.call_s, 0.999 * scenarios.front().figures.call_s) << one.name;
}

TEST(Plan, targets_that_nothing_meets_name_the_nearest_and_by_how_much) {
    PlanRequest request = twenty_developers();
    request.targets.tpot_s = 0.0001;
    const PlanReport report = *make_plan(request);
    EXPECT_FALSE(report.chosen);
    EXPECT_THAT(headline(report), HasSubstr("no candidate meets it: nearest is"));
    EXPECT_THAT(headline(report), HasSubstr("TPOT"));
    EXPECT_THAT(headline(report), HasSubstr("instead of"));
}

TEST(Plan, a_budget_rules_out_what_costs_more) {
    PlanRequest request = twenty_developers();
    request.budget_per_month = 10;
    const PlanReport report = *make_plan(request);
    EXPECT_FALSE(report.chosen);
    EXPECT_THAT(report.result.rejected.back().reason, HasSubstr("over the budget of 10 $"));
    EXPECT_THAT(headline(report), HasSubstr("the cheapest that meets the targets is"));
    EXPECT_THAT(headline(report), HasSubstr("$ a month"));
}

TEST(Plan, a_model_that_reads_less_has_people_who_compact_more) {
    PlanRequest request = twenty_developers();
    request.model.max_context = 40'960;
    const PlanReport report = *make_plan(request);
    EXPECT_THAT(report.request.workload.source, HasSubstr("compacted at 40960 tokens"));
    EXPECT_LT(report.request.workload.reuse, 0.9631);
}

TEST(Plan, every_line_of_the_page_is_a_number_with_a_formula) {
    const PlanPage& page = the_plan().page;
    size_t lines = 0;
    for (const Section& section : page.sections())
        for (const Line& line : section.lines) {
            if (line.formula.empty()) continue;
            ++lines;
            EXPECT_FALSE(line.numbers.empty()) << line.name;
            EXPECT_FALSE(line.unit.empty()) << line.name;
            EXPECT_TRUE(std::isfinite(line.value)) << line.name;
        }
    EXPECT_GT(lines, 40u);
    const FleetCost& money = *the_plan().chosen->money;
    EXPECT_NEAR(page.find("cost")->value, money.per_hour, 1e-6);
    EXPECT_NEAR(page.find("calls of the fleet")->value, the_plan().chosen->normal.calls_per_s,
                1e-6);
    EXPECT_NEAR(page.find("answer time, mean")->value, the_plan().chosen->normal.call_s,
                0.02 * the_plan().chosen->normal.call_s);
}

TEST(Plan, the_same_request_is_the_same_plan) {
    EXPECT_EQ(dump_json(to_json(*make_plan(twenty_developers()))), dump_json(to_json(the_plan())));
}

TEST(Emit, engines_get_the_plan_in_their_own_words) {
    const EngineFlags flags{.model = "it's",
                            .tp = 2,
                            .kv_dtype = KvDtype::fp8,
                            .max_context = 131'072,
                            .max_num_seqs = 16,
                            .ram_tier_gib = 256,
                            .kv_tokens = 500'000};
    const std::string vllm = vllm_script(flags, 3);
    EXPECT_THAT(vllm, HasSubstr("--served-model-name 'it'\\''s'"));
    EXPECT_THAT(vllm, HasSubstr("--tensor-parallel-size 2"));
    EXPECT_THAT(vllm, HasSubstr("--kv-cache-dtype fp8"));
    EXPECT_THAT(vllm, HasSubstr("--kv-offloading-size 256"));
    EXPECT_THAT(vllm, HasSubstr("first=$((replica * 2))"));
    EXPECT_THAT(sglang_script(flags, 3), HasSubstr("--hicache-size 128"));
    EXPECT_THAT(llama_server_script(flags, 3), HasSubstr("--ctx-size 393216 --parallel 3"));
    EXPECT_THAT(llama_server_script(flags, 3), HasSubstr("--cache-type-k q8_0"));
    EXPECT_THAT(llama_server_script(flags, 3), HasSubstr("--split-mode tensor"));
    const EngineFlags apart{.model = "m", .tp = 1, .dp = 8, .experts_apart = true};
    EXPECT_THAT(sglang_script(apart, 1), HasSubstr("--tp-size 8"));
    EXPECT_THAT(sglang_script(apart, 1), HasSubstr("--attn-dp-size 8"));
    EXPECT_THAT(sglang_script(apart, 1), HasSubstr("--ep-size 8"));
}

TEST(Html, the_page_stands_alone) {
    const std::string page = plan_page(the_plan());
    EXPECT_THAT(page, HasSubstr(the_plan().request.model_name));
    EXPECT_THAT(page, Not(HasSubstr("src=")));
    EXPECT_THAT(page, Not(HasSubstr("href=")));
    EXPECT_THAT(page, Not(HasSubstr("@import")));
}

}  // namespace
}  // namespace brigada
