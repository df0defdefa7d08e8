#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/cli.h"
#include "cli/plan/plan_questions.h"
#include "cli/plan/plan_text.h"
#include "gateway/config/load_config.h"
#include "hub/scratch_folder.h"

namespace brigada {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Planning {
    explicit Planning(std::vector<std::string> words) {
        words.insert(words.begin(), "plan");
        std::ostringstream help, errors;
        ::testing::internal::CaptureStdout();
        code = run_cli(std::move(words), help, errors);
        out = ::testing::internal::GetCapturedStdout();
        err = errors.str();
    }

    int code = 0;
    std::string out, err;
};

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

const std::vector<std::string> kTwenty = {"--developers", "20",   "--model", "qwen3-32b",
                                          "--gpu",        "h200", "--tp",    "1,2"};

std::vector<std::string> twenty_and(std::vector<std::string> more) {
    std::vector<std::string> words = kTwenty;
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST(PlanCommand, says_how_many_and_why) {
    const Planning plan(kTwenty);
    EXPECT_EQ(plan.code, kExitOk) << plan.err;
    EXPECT_THAT(plan.out, AllOf(HasSubstr("H200 SXM"), HasSubstr("affinity off"),
                                HasSubstr("It holds up to"), HasSubstr("Add hardware when")));
    const Planning explained(twenty_and({"--explain"}));
    EXPECT_THAT(explained.out, AllOf(HasSubstr("Little's law"), HasSubstr("KV of a token")));
}

TEST(PlanCommand, roomy_memory_keeps_what_is_idle) {
    const Planning plan({"--developers", "2", "--model", "qwen3-32b", "--gpu", "b200"});
    EXPECT_THAT(plan.out, ::testing::ContainsRegex("idle KV stays +over a day"));
}

TEST(PlanCommand, json_has_the_plan) {
    const Planning plan(twenty_and({"--json"}));
    const Json json = *parse_json(plan.out, "output");
    EXPECT_EQ(json["people"], 20);
    EXPECT_EQ(json["chosen"]["candidate"]["accelerator"], "H200 SXM");
    EXPECT_GT(json["explained"].size(), 40u);
}

/// Types that do not run here, and in three files: planned for all the same.
TEST(PlanCommand, takes_a_gguf_file_of_any_type) {
    const std::string file =
        std::string(BRIGADA_TESTDATA) + "/quants/every-type-00001-of-00003.gguf";
    const Planning plan({"--model", file, "--gpu", "h100", "--profile", "chat", "--json"});
    ASSERT_EQ(plan.code, kExitOk) << plan.err;
    double weights = 0;
    const Json page = parse_json(plan.out, "output").value()["explained"];
    for (const Json& line : page)
        if (line["name"] == "weights") weights = line["value"];
    EXPECT_NEAR(weights * 1024 * 1024 * 1024, 123'712, 1);
}

TEST(PlanCommand, verifies_itself_by_a_simulation) {
    const std::vector<std::string> words = twenty_and({"--max-context", "131072", "--verify"});
    const Planning plan(words);
    EXPECT_EQ(plan.code, kExitOk) << plan.err;
    EXPECT_THAT(plan.out, AllOf(HasSubstr("SIMULATED"), HasSubstr("of 20 people in")));
    const Planning again(words);
    EXPECT_EQ(again.out, plan.out);
    const Planning machine(twenty_and({"--max-context", "131072", "--verify", "--json"}));
    const Json found = parse_json(machine.out, "output").value()["verification"];
    const double carried = found["carries_people"];
    EXPECT_GE(found["tried"].size(), 2u);
    for (const Json& tried : found["tried"])
        EXPECT_EQ(tried["misses"].empty(), tried["people"] <= carried) << tried["people"];
    const double simulated = found["simulated"]["tpot_s"]["mean"];
    const double reckoned =
        parse_json(machine.out, "output").value()["chosen"]["all_replicas"]["tpot_s"];
    EXPECT_NEAR(simulated, reckoned, 0.2 * reckoned) << "two ways to one number";
}

TEST(PlanCommand, says_aloud_when_the_simulation_does_not_bear_it_out) {
    PlanWords words;
    for (const auto& [field, text] :
         {std::pair("developers", "2"), std::pair("model", "qwen3-32b"), std::pair("gpu", "h200")})
        words.say(field, {{.text = text, .place = field}});
    PlanReport report = *make_plan(*understand(words));
    report.verification.emplace();
    EXPECT_THAT(plan_text(report, false, 100), ::testing::Not(HasSubstr("DOES NOT BEAR")));
    report.verification->planned.misses = {
        {.target = "TTFT p90", .wanted = 10, .got = 317, .unit = "s", .factor = 31.7}};
    EXPECT_THAT(plan_text(report, false, 100),
                HasSubstr("DOES NOT BEAR THIS PLAN OUT: TTFT p90 is missed x 31.7"));
}

TEST(PlanCommand, simulates_what_the_sliders_of_its_page_show) {
    const ScratchFolder folder;
    const std::string path = (folder.path() / "plan.html").string();
    const std::vector<std::string> words = {"--developers", "2",    "--model", "qwen3-32b",
                                            "--gpu",        "h200", "--html",  path};
    EXPECT_EQ(Planning(words).code, kExitOk);
    EXPECT_THAT(text_of(path), HasSubstr(R"("grid_is_simulated":false)"));
    std::vector<std::string> verified = words;
    verified.push_back("--verify");
    EXPECT_EQ(Planning(verified).code, kExitOk);
    EXPECT_THAT(text_of(path), HasSubstr(R"("grid_is_simulated":true)"));
}

TEST(PlanCommand, verifies_with_the_tiers_that_it_planned) {
    const std::vector<std::string> words =
        twenty_and({"--max-context", "131072", "--ram-tier", "128", "--verify"});
    const Planning plan(words);
    EXPECT_EQ(plan.code, kExitOk) << plan.err;
    EXPECT_THAT(plan.out, HasSubstr("loaded from RAM or disk"));
}

TEST(PlanCommand, reckons_with_what_the_ledger_has) {
    const ScratchFolder folder;
    const std::string path = (folder.path() / "calls.csv").string();
    std::ofstream out(path);
    out << "id,started,first_byte,ended,team,session,model_asked,input_tokens,cached_input_tokens,"
           "cache_write_tokens,output_tokens\n";
    for (int call = 0; call < 50; ++call)
        out << fmt::format(
            "{:02},2026-11-29T08:{:02}:00Z,2026-11-29T08:{:02}:01Z,2026-11-29T08:{:02}:09Z,"
            "t1,s{},m,1500,{},0,300\n",
            call, call, call, call, call / 10, 20'000 + 1'800 * (call % 10));
    out.close();
    const Planning plan(twenty_and({"--ledger", path}));
    EXPECT_EQ(plan.code, kExitOk) << plan.err;
    EXPECT_THAT(plan.out, AllOf(HasSubstr(path), HasSubstr("It holds up to")));
}

TEST(PlanCommand, mistakes_are_one_line_that_says_what_works) {
    const auto fault = [](std::vector<std::string> words) {
        const Planning plan(std::move(words));
        EXPECT_NE(plan.code, kExitOk);
        EXPECT_EQ(std::ranges::count(plan.err, '\n'), 1) << plan.err;
        return plan.err;
    };
    EXPECT_THAT(fault({"--developers", "0", "--model", "qwen3-32b"}),
                HasSubstr("nobody needs no hardware"));
    EXPECT_THAT(fault({"--model", "qwen3-33b"}), HasSubstr("qwen3-32b"));
    EXPECT_THAT(fault({"--model", "qwen3-32b", "--gpu", "h300"}), HasSubstr("H"));
    EXPECT_THAT(fault({"--model", "qwen3-32b", "--developer", "3"}), HasSubstr("--developers"));
    EXPECT_THAT(fault({"--model", "qwen3-32b", "--gpu", "h100", "--tpot", "0.00001"}),
                AllOf(HasSubstr("nearest is"), HasSubstr("TPOT")));
    EXPECT_THAT(fault({"--developers", "3"}), HasSubstr("model: none"));
    EXPECT_THAT(fault({"missing.yaml"}), HasSubstr("missing.yaml"));
    EXPECT_THAT(fault({"--model", "qwen3-32b", "--fleet", "two h100s"}),
                HasSubstr("COUNT x ACCELERATOR"));
}

TEST(PlanCommand, fleets_are_compared) {
    const Planning plan({"--model", "qwen3-8b", "--profile", "chat", "--fleet",
                         "6 x rtx-4090 @ 0.30", "--fleet", "2 x h100 sxm 80gb @ 3.5"});
    EXPECT_EQ(plan.code, kExitOk) << plan.err;
    EXPECT_THAT(plan.out, AllOf(HasSubstr("1.80"), HasSubstr("7.00")));
}

TEST(PlanCommand, what_it_emits_the_gateway_accepts) {
    const ScratchFolder folder;
    const std::filesystem::path out = folder.path() / "plan";
    const Planning plan(twenty_and({"--emit", out.string(), "--html", out.string() + ".html"}));
    ASSERT_EQ(plan.code, kExitOk) << plan.err;
    for (const char* file : {"vllm.sh", "sglang.sh", "llama-server.sh", "alarms.yaml"})
        EXPECT_FALSE(text_of(out / file).empty()) << file;
    EXPECT_THAT(text_of(out / "vllm.sh"), StartsWith("#!/bin/sh\n"));
    EXPECT_THAT(text_of(out.string() + ".html"), StartsWith("<!doctype html>"));
    const Environ environment = [](std::string_view name) {
        return name == "LITELLM_MASTER_KEY" ? std::optional<std::string>("sk-a-long-master-key")
                                            : std::nullopt;
    };
    const Result<LoadedConfig> loaded = load_config(out / "gateway.yaml", environment);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_THAT(loaded->warnings, IsEmpty());
    EXPECT_GE(loaded->config.deployments.size(), 2u);
    EXPECT_GT(loaded->config.deployments.front().engine.kv_tokens, 100'000);
}

TEST(PlanQuestions, enter_takes_what_stands_in_brackets) {
    std::istringstream in("7\n\nqwen3-8b\n h100 , rtx-4090\n\n\n\n\n");
    std::ostringstream out;
    const Result<PlanWords> words = ask_for_plan(in, out);
    ASSERT_TRUE(words.ok()) << words.error().message;
    const Result<PlanRequest> request = understand(*words);
    ASSERT_TRUE(request.ok()) << request.error().message;
    EXPECT_EQ(request->developers, 7);
    EXPECT_EQ(request->accelerators.size(), 2u);
    EXPECT_EQ(request->workload.name, "claude-code");
}

TEST(PlanQuestions, what_makes_no_sense_is_asked_again) {
    std::istringstream in("none\n0\n5\n\nqwen\nqwen3-8b\n\n\n\n\n\n");
    std::ostringstream out;
    const Result<PlanWords> words = ask_for_plan(in, out);
    ASSERT_TRUE(words.ok()) << words.error().message;
    EXPECT_EQ(understand(*words)->developers, 5);
    EXPECT_THAT(out.str(), AllOf(HasSubstr("a number is wanted"), HasSubstr("nobody needs")));
}

TEST(PlanQuestions, the_end_of_the_input_is_the_end) {
    std::istringstream in("7\n");
    std::ostringstream out;
    const Result<PlanWords> words = ask_for_plan(in, out);
    ASSERT_FALSE(words.ok());
    EXPECT_EQ(words.error().code, Code::cancelled);
}

}  // namespace
}  // namespace brigada
