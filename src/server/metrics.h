// Metrics: the /metrics page. Counters and gauges are read from the engine's snapshot when the page
// is asked for; histograms are filled as things happen. Names are vLLM's where vLLM has one, so
// existing dashboards and autoscalers work; ours start with "brigada_".
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/observer.h"

namespace brigada {

struct LoadedModel;

class Metrics : public EngineObserver {
  public:
    Metrics();

    // On the engine's thread.
    void step(uint32_t tokens, Duration took) override;
    void first_token(Duration since_received) override;
    void next_token(Duration since_last) override;
    void finished(const EngineUsage& usage, Duration since_received) override;

    /// What a model began as a call of a tool is none, because of `reason`. Any thread.
    void broken_call(std::string_view reason);

    /// The page in Prometheus' text format; without a model only what the HTTP layer counts.
    std::string page(const std::string& model_name, const LoadedModel* model,
                     uint64_t http_requests) const;

  private:
    prometheus::Registry registry_;
    prometheus::Histogram& first_token_seconds_;
    prometheus::Histogram& next_token_seconds_;
    prometheus::Histogram& request_seconds_;
    prometheus::Histogram& queue_seconds_;
    prometheus::Histogram& prefill_seconds_;
    prometheus::Histogram& decode_seconds_;
    prometheus::Histogram& step_tokens_;
    prometheus::Histogram& step_seconds_;
    prometheus::Histogram& prompt_tokens_;
    prometheus::Histogram& generation_tokens_;
    prometheus::Family<prometheus::Counter>& broken_calls_;
};

}  // namespace brigada
