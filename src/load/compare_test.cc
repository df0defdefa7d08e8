#include "load/compare.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "load/report.h"

namespace brigada {

namespace {

/// A run of `sessions` of ten calls each; a session's calls have its speed, give or take.
LoadReport run_of(uint64_t seed, int sessions, double ttft_ms) {
    Rng rng(seed);
    LoadReport out{
        .url = "u", .model = "m", .api = "chat", .workload = "w", .pace = "p", .warm_up = {}};
    out.measured.window = {Instant::at_ns(0), Instant::at_ns(10'000'000'000)};
    for (int session = 0; session < sessions; ++session) {
        const double of_session = ttft_ms * (0.8 + 0.4 * rng.uniform());
        for (uint32_t call = 0; call < 10; ++call) {
            const auto ns = static_cast<int64_t>(of_session * (0.9 + 0.2 * rng.uniform()) * 1e6);
            out.measured.results.push_back({.call = call,
                                            .play = static_cast<uint64_t>(session + 1),
                                            .due = Instant::at_ns(0),
                                            .began = Instant::at_ns(0),
                                            .sent = Instant::at_ns(0),
                                            .first_token = Instant::at_ns(ns),
                                            .last_token = Instant::at_ns(2 * ns),
                                            .ended = Instant::at_ns(2 * ns),
                                            .outcome = CallOutcome::finished,
                                            .output_tokens = 2,
                                            .first_tokens = 1,
                                            .later_tokens = 1});
        }
    }
    out.figures =
        figures_of(out.measured.results, out.measured.gaps, out.measured.window, out.targets);
    return out;
}

const ComparedFigure& figure(const LoadComparison& comparison, std::string_view name) {
    for (const ComparedFigure& one : comparison.figures)
        if (one.name == name) return one;
    ADD_FAILURE() << "no figure " << name;
    return comparison.figures.front();
}

TEST(Compare, is_sure_of_a_difference_that_is_there) {
    const auto compared =
        compare_reports(report_json(run_of(1, 40, 100)), report_json(run_of(2, 40, 130)), 1);
    ASSERT_TRUE(compared.ok());
    const ComparedFigure& ttft = figure(*compared, "ttft_ms mean");
    EXPECT_NEAR(ttft.change, 0.3, 0.1);
    EXPECT_TRUE(ttft.sure());
    EXPECT_LT(ttft.low, ttft.change);
    EXPECT_GT(ttft.high, ttft.change);
}

// The mark of an interval: of runs that do not differ, about one in twenty looks as if it did.
TEST(Compare, is_seldom_sure_of_a_difference_that_is_not_there) {
    int sure = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        const auto compared =
            compare_reports(report_json(run_of(2 * seed, 20, 100)),
                            report_json(run_of(2 * seed + 1, 20, 100)), seed, 100);
        sure += figure(*compared, "ttft_ms mean").sure();
    }
    EXPECT_LE(sure, 5);
}

TEST(Compare, has_no_interval_for_a_single_session) {
    const auto compared =
        compare_reports(report_json(run_of(1, 1, 100)), report_json(run_of(2, 1, 130)), 1);
    ASSERT_TRUE(compared.ok());
    EXPECT_FALSE(figure(*compared, "ttft_ms p50").has_interval);
}

TEST(Compare, warns_of_a_cache_that_the_first_run_filled) {
    const auto with_cached = [](uint64_t seed, uint64_t cached) {
        Json report = report_json(run_of(seed, 2, 100));
        report["run"]["seed"] = seed;
        report["tokens"]["prompt"] = 1'000;
        report["tokens"]["cached"] = cached;
        return report;
    };
    const Json cold = with_cached(1, 700);
    const LoadComparison warm = *compare_reports(cold, with_cached(1, 970), 1);
    EXPECT_NE(comparison_text(warm).find("70 % of A's prompt tokens and 97 % of B's"),
              std::string::npos);
    EXPECT_NEAR(figure(warm, "cached_share").b, 0.97, 1e-12);
    EXPECT_EQ(compare_reports(cold, with_cached(1, 710), 1)->caution, "");
    EXPECT_EQ(compare_reports(cold, with_cached(2, 970), 1)->caution, "") << "another text";
}

TEST(Compare, says_what_is_missing_in_which_file) {
    const Json good = report_json(run_of(1, 2, 100));
    Json bad = good;
    bad["each_call"].erase("ttft_ms");
    const auto compared = compare_reports(good, bad, 1);
    ASSERT_FALSE(compared.ok());
    EXPECT_NE(compared.error().message.find("second file"), std::string::npos);
    EXPECT_NE(compared.error().message.find("each_call.ttft_ms"), std::string::npos);
    EXPECT_FALSE(compare_reports(Json::array(), good, 1).ok());
}

TEST(Compare, survives_a_report_that_somebody_has_edited) {
    const Json good = report_json(run_of(1, 2, 100));
    for (const char* const section : {"run", "calls", "tokens", "rates"}) {
        Json odd = good;
        odd[section] = 5;
        EXPECT_TRUE(compare_reports(good, odd, 1).ok()) << section;
    }
    Json odd = good;
    odd["tokens"]["prompt"] = "many";
    odd["run"]["url"] = 7;
    EXPECT_TRUE(compare_reports(good, odd, 1).ok());
    odd["format"] = 1;
    EXPECT_FALSE(compare_reports(good, odd, 1).ok());
}

TEST(Report, has_every_call_in_its_csv_and_its_page) {
    LoadReport report = run_of(1, 3, 100);
    report.measured.results[0].outcome = CallOutcome::failed;
    report.measured.results[0].cause = "HTTP 500 \"server, error\"";
    const std::string csv = report_csv(report);
    EXPECT_EQ(std::ranges::count(csv, '\n'), 31);
    EXPECT_NE(csv.find("\"HTTP 500 \"\"server, error\"\"\""), std::string::npos);
    const std::string header = csv.substr(0, csv.find('\r'));
    const std::string row =
        csv.substr(csv.find('\n') + 1, csv.find("\r\n", header.size() + 2) - csv.find('\n') - 1);
    EXPECT_EQ(std::ranges::count(header, ',') + 1, std::ranges::count(row, ','))
        << "a quoted comma more";
    const std::string page = report_html(report);
    EXPECT_NE(page.find("<svg"), std::string::npos);
    EXPECT_EQ(page.find("http"), std::string::npos) << "nothing is loaded from elsewhere";
    EXPECT_EQ(page.find("nan"), std::string::npos);
}

TEST(Report, of_nothing_can_still_be_read) {
    LoadReport report = run_of(1, 0, 100);
    EXPECT_NE(report_text(report).find("0 finished"), std::string::npos);
    EXPECT_NE(report_html(report).find("</html>"), std::string::npos);
    EXPECT_EQ(report_json(report)["calls"]["finished"], 0);
}

}  // namespace

}  // namespace brigada
