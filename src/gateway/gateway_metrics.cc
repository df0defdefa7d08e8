#include "gateway/gateway_metrics.h"

#include <prometheus/text_serializer.h>

#include "base/concat.h"

namespace brigada {

namespace {

const prometheus::Histogram::BucketBoundaries kSeconds = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600};

prometheus::Family<prometheus::Counter>& counters(prometheus::Registry& registry, const char* name,
                                                  const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Histogram& seconds(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, kSeconds);
}

prometheus::MetricFamily gauge(std::string name, std::string help, double value) {
    prometheus::ClientMetric metric;
    metric.gauge.value = value;
    return {std::move(name), std::move(help), prometheus::MetricType::Gauge, {metric}};
}

}  // namespace

GatewayMetrics::GatewayMetrics()
    : calls_(counters(registry_, "brigada_calls_total", "Calls by model and status")),
      tokens_(counters(registry_, "brigada_tokens_total",
                       "Tokens by model and part: input, cached_input, cache_write, output")),
      spend_(counters(registry_, "brigada_spend_dollars_total", "What calls cost, by model")),
      attempts_(counters(registry_, "brigada_upstream_attempts_total",
                         "Attempts by upstream and outcome")),
      refusals_(counters(registry_, "brigada_refusals_total", "Calls refused here, by type")),
      thresholds_(counters(registry_, "brigada_budget_thresholds_total",
                           "Budgets that reached a soft threshold, by thousandths of the limit")),
      predicted_tokens_(counters(registry_, "brigada_predicted_cached_tokens_total",
                                 "Prompt tokens the router expected to be cached")
                            .Add({})),
      reported_tokens_(counters(registry_, "brigada_reported_cached_tokens_total",
                                "Of the same calls, what upstreams reported")
                           .Add({})),
      running_(prometheus::BuildGauge()
                   .Name("brigada_calls_running")
                   .Help("Calls being answered now")
                   .Register(registry_)
                   .Add({})),
      call_seconds_(seconds(registry_, "brigada_call_seconds", "Request read to answer's end")),
      first_byte_seconds_(seconds(registry_, "brigada_first_byte_seconds",
                                  "Request read to the answer's first byte")) {}

void GatewayMetrics::call_ended(std::string_view model, int status, Duration took) {
    running_.Decrement();
    calls_.Add({{"model", std::string(model)}, {"status", std::to_string(status)}}).Increment();
    call_seconds_.Observe(took.seconds());
}

void GatewayMetrics::spent(std::string_view model, const Usage& usage, Money cost) {
    const auto add = [&](const char* part, int64_t tokens) {
        if (tokens > 0)
            tokens_.Add({{"model", std::string(model)}, {"part", part}})
                .Increment(static_cast<double>(tokens));
    };
    add("input", usage.input);
    add("cached_input", usage.cached_input);
    add("cache_write", usage.cache_write);
    add("output", usage.output);
    if (cost > Money{})
        spend_.Add({{"model", std::string(model)}})
            .Increment(static_cast<double>(cost.nano) * 1e-9);
}

void GatewayMetrics::attempt(std::string_view upstream, std::string_view outcome) {
    attempts_.Add({{"upstream", std::string(upstream)}, {"outcome", std::string(outcome)}})
        .Increment();
}

void GatewayMetrics::refused(std::string_view type) {
    refusals_.Add({{"type", std::string(type)}}).Increment();
}

void GatewayMetrics::threshold_crossed(int32_t permille) {
    thresholds_.Add({{"permille", std::to_string(permille)}}).Increment();
}

void GatewayMetrics::cache_prediction(int64_t predicted, int64_t reported) {
    predicted_tokens_.Increment(static_cast<double>(predicted));
    reported_tokens_.Increment(static_cast<double>(reported));
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
