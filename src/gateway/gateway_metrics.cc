#include "gateway/gateway_metrics.h"

#include <prometheus/text_serializer.h>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr size_t kMostTeams = 1'000;

const prometheus::Histogram::BucketBoundaries kSeconds = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600};

const prometheus::Histogram::BucketBoundaries kFineSeconds = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1};

prometheus::Counter& counter(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Histogram& seconds(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, kSeconds);
}

prometheus::Histogram& fine_seconds(prometheus::Registry& registry, const char* name,
                                    const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({},
                                                                                     kFineSeconds);
}

prometheus::MetricFamily gauge(std::string name, std::string help, double value) {
    prometheus::ClientMetric metric;
    metric.gauge.value = value;
    return {std::move(name), std::move(help), prometheus::MetricType::Gauge, {metric}};
}

}  // namespace

GatewayMetrics::Counters::Counters(prometheus::Registry& registry, const char* name,
                                   const char* help, const char* first_label,
                                   const char* second_label, size_t most)
    : family_(prometheus::BuildCounter().Name(name).Help(help).Register(registry)),
      first_label_(first_label),
      second_label_(second_label),
      most_(most) {}

prometheus::Counter& GatewayMetrics::Counters::of(std::string_view first, std::string_view second) {
    auto row = known_.find(first);
    if (row == known_.end() && known_.size() >= most_) row = known_.find(first = "other");
    if (row == known_.end()) row = known_.try_emplace(std::string(first)).first;
    const auto found = row->second.find(second);
    if (found != row->second.end()) return *found->second;
    prometheus::Labels labels{{first_label_, std::string(first)}};
    if (second_label_) labels.emplace(second_label_, second);
    prometheus::Counter& counter = family_.Add(labels);
    row->second.emplace(second, &counter);
    return counter;
}

GatewayMetrics::GatewayMetrics()
    : calls_(registry_, "brigada_calls_total", "Calls by model and status", "model", "status"),
      tokens_(registry_, "brigada_tokens_total",
              "Tokens by model and part: input, cached_input, cache_write, output", "model",
              "part"),
      spend_(registry_, "brigada_spend_dollars_total", "What calls cost, by model", "model"),
      team_calls_(registry_, "brigada_team_calls_total", "Calls that reached an upstream, by team",
                  "team", nullptr, kMostTeams),
      team_tokens_(registry_, "brigada_team_tokens_total", "Tokens by team and part", "team",
                   "part", kMostTeams),
      team_spend_(registry_, "brigada_team_spend_dollars_total", "What calls cost, by team", "team",
                  nullptr, kMostTeams),
      attempts_(registry_, "brigada_upstream_attempts_total", "Attempts by upstream and outcome",
                "upstream", "outcome"),
      health_changes_(registry_, "brigada_upstream_health_changes_total",
                      "Times a health check found an upstream down, or up again", "upstream",
                      "found"),
      refusals_(registry_, "brigada_refusals_total", "Calls refused here, by type", "type"),
      thresholds_(registry_, "brigada_budget_thresholds_total",
                  "Budgets that reached a soft threshold, by thousandths of the limit", "permille"),
      predicted_tokens_(counter(registry_, "brigada_predicted_cached_tokens_total",
                                "Prompt tokens the router expected to be cached")),
      reported_tokens_(counter(registry_, "brigada_reported_cached_tokens_total",
                               "Of the same calls, what upstreams reported")),
      prompt_expected_(registry_, "brigada_expected_prompt_tokens_total",
                       "Prompt tokens before the upstream reported them, counted or estimated",
                       "how"),
      prompt_reported_(registry_, "brigada_reported_prompt_tokens_total",
                       "Of the same calls, what upstreams reported", "how"),
      prompt_wrong_(registry_, "brigada_wrong_prompt_tokens_total",
                    "Of the same calls, by how many tokens each was more or less", "how"),
      cache_hits_(
          counter(registry_, "brigada_cache_hits_total", "Calls answered from the answer cache")),
      cache_misses_(counter(registry_, "brigada_cache_misses_total",
                            "Calls that looked into the answer cache in vain")),
      running_(prometheus::BuildGauge()
                   .Name("brigada_calls_running")
                   .Help("Calls being answered now")
                   .Register(registry_)
                   .Add({})),
      call_seconds_(seconds(registry_, "brigada_call_seconds", "Request read to answer's end")),
      first_byte_seconds_(seconds(registry_, "brigada_first_byte_seconds",
                                  "Request read to the answer's first byte")),
      loop_late_seconds_(
          fine_seconds(registry_, "brigada_loop_late_seconds",
                       "How late the loop of all calls came to a timer that is due every 10 ms")),
      loop_busy_seconds_(fine_seconds(registry_, "brigada_loop_busy_seconds",
                                      "Of that, at most so much was the loop's own work")),
      redis_seconds_(
          seconds(registry_, "brigada_redis_seconds", "A message to Redis and its answer")),
      redis_failures_(counter(registry_, "brigada_redis_failures_total",
                              "Times that Redis was out of reach or lost")),
      limits_shared_(prometheus::BuildGauge()
                         .Name("brigada_limits_shared")
                         .Help("1 while limits are counted together with other gateways; 0 alone")
                         .Register(registry_)
                         .Add({})) {}

void GatewayMetrics::call_ended(std::string_view model, int status, Duration took) {
    running_.Decrement();
    calls_.of(model, std::to_string(status)).Increment();
    call_seconds_.Observe(took.seconds());
}

void GatewayMetrics::spent(std::string_view model, std::string_view team, const Usage& usage,
                           Money cost) {
    if (team.empty()) team = "none";
    const auto add = [&](const char* part, int64_t tokens) {
        if (tokens <= 0) return;
        tokens_.of(model, part).Increment(static_cast<double>(tokens));
        team_tokens_.of(team, part).Increment(static_cast<double>(tokens));
    };
    add("input", usage.input);
    add("cached_input", usage.cached_input);
    add("cache_write", usage.cache_write);
    add("output", usage.output);
    team_calls_.of(team).Increment();
    if (cost <= Money{}) return;
    spend_.of(model).Increment(static_cast<double>(cost.nano) * 1e-9);
    team_spend_.of(team).Increment(static_cast<double>(cost.nano) * 1e-9);
}

void GatewayMetrics::attempt(std::string_view upstream, std::string_view outcome) {
    attempts_.of(upstream, outcome).Increment();
}

void GatewayMetrics::upstream_found(std::string_view upstream, bool is_down) {
    health_changes_.of(upstream, is_down ? "down" : "up").Increment();
}

void GatewayMetrics::refused(std::string_view type) {
    refusals_.of(type).Increment();
}

void GatewayMetrics::threshold_crossed(int32_t permille) {
    thresholds_.of(std::to_string(permille)).Increment();
}

void GatewayMetrics::cache_prediction(int64_t predicted, int64_t reported) {
    predicted_tokens_.Increment(static_cast<double>(predicted));
    reported_tokens_.Increment(static_cast<double>(reported));
}

void GatewayMetrics::prompt_prediction(bool is_counted, int64_t expected, int64_t reported) {
    const std::string_view how = is_counted ? "counted" : "estimated";
    prompt_expected_.of(how).Increment(static_cast<double>(expected));
    prompt_reported_.of(how).Increment(static_cast<double>(reported));
    prompt_wrong_.of(how).Increment(static_cast<double>(std::abs(expected - reported)));
}

std::string GatewayMetrics::page(const LedgerBacklog& backlog, bool accepting) const {
    std::vector<prometheus::MetricFamily> families = registry_.Collect();
    families.push_back(gauge("brigada_ledger_backlog_records", "Records not yet in the store",
                             static_cast<double>(backlog.records)));
    families.push_back(gauge("brigada_ledger_backlog_bytes", "Their bytes in the log",
                             static_cast<double>(backlog.bytes)));
    families.push_back(
        gauge("brigada_ledger_accepting", "0 while the log can't be written", accepting ? 1 : 0));
    return prometheus::TextSerializer().Serialize(families);
}

}  // namespace brigada
