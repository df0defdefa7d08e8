#include "server/metrics.h"

#include <prometheus/text_serializer.h>

#include <initializer_list>
#include <vector>

#include "server/service.h"

namespace brigada {

namespace {

using prometheus::Histogram;
using prometheus::MetricFamily;
using prometheus::MetricType;

// Upper bounds in seconds: from one memory-bound decode step to a cold 100K-token prompt.
const Histogram::BucketBoundaries kTokenSeconds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                   0.2,   0.5,    1,     2.5,  5,     10};
const Histogram::BucketBoundaries kRequestSeconds = {0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,   2.5,
                                                     5,    10,    20,   40,  80,   160, 640, 2560};
const Histogram::BucketBoundaries kTokenCounts = {1,    4,    16,    64,    256,
                                                  1024, 4096, 16384, 65536, 262144};

Histogram& histogram(prometheus::Registry& registry, const char* name, const char* help,
                     const Histogram::BucketBoundaries& buckets) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, buckets);
}

/// Collects single values as families, in the order given.
class Page {
  public:
    explicit Page(std::vector<MetricFamily> families, std::string model)
        : families_(std::move(families)), model_(std::move(model)) {
        for (MetricFamily& family : families_)
            for (auto& metric : family.metric)
                label(metric);
    }

    void gauge(std::string name, std::string help, double value) {
        prometheus::ClientMetric metric;
        metric.gauge.value = value;
        add(std::move(name), std::move(help), MetricType::Gauge, std::move(metric));
    }

    void counter(std::string name, std::string help, uint64_t value) {
        prometheus::ClientMetric metric;
        metric.counter.value = static_cast<double>(value);
        add(std::move(name), std::move(help), MetricType::Counter, std::move(metric));
    }

    /// One more value of a counter that is split by a label.
    void counter(std::string name, std::string help, std::string label_name,
                 std::initializer_list<std::pair<const char*, uint64_t>> values) {
        MetricFamily family{std::move(name), std::move(help), MetricType::Counter, {}};
        for (const auto& [label_value, value] : values) {
            prometheus::ClientMetric metric;
            metric.counter.value = static_cast<double>(value);
            metric.label.push_back({label_name, label_value});
            label(metric);
            family.metric.push_back(std::move(metric));
        }
        families_.push_back(std::move(family));
    }

    /// A constant 1 whose labels are the facts.
    void info(std::string name, std::string help,
              std::initializer_list<std::pair<const char*, std::string>> facts) {
        prometheus::ClientMetric metric;
        metric.gauge.value = 1;
        for (const auto& [key, value] : facts)
            metric.label.push_back({key, value});
        add(std::move(name), std::move(help), MetricType::Gauge, std::move(metric));
    }

    std::string text() const { return prometheus::TextSerializer().Serialize(families_); }

  private:
    void label(prometheus::ClientMetric& metric) const {
        metric.label.push_back({"model_name", model_});
    }
    void add(std::string name, std::string help, MetricType type, prometheus::ClientMetric metric) {
        label(metric);
        families_.push_back({std::move(name), std::move(help), type, {std::move(metric)}});
    }

    std::vector<MetricFamily> families_;
    std::string model_;
};

void add_scheduler(Page& page, const EngineSnapshot& engine) {
    page.gauge("vllm:num_requests_running", "Sequences in the batch.", engine.sched.running);
    page.gauge("vllm:num_requests_waiting", "Sequences in the queue.", engine.sched.waiting);
    page.gauge("brigada_waiting_tokens", "Tokens of the sequences in the queue.",
               static_cast<double>(engine.sched.waiting_tokens));
    page.counter("vllm:num_preemptions_total", "Sequences taken back to the queue.",
                 engine.sched.preemptions);
    page.counter("brigada_requests_refused_total",
                 "Requests the queue or the context had no room for.", engine.sched.refused);
    page.counter("brigada_requests_expired_total", "Requests whose deadline passed in the queue.",
                 engine.sched.expired);
    page.counter("brigada_shared_prefix_waits_total",
                 "Sequences that waited for another to compute their prefix.",
                 engine.sched.shared_waits);
    page.gauge("brigada_engine_stalled", "1 when there is work but no progress.", engine.stalled);
}

void add_kv(Page& page, const EngineSnapshot& engine, const EngineFacts& facts) {
    const double blocks = engine.kv_blocks;
    page.gauge("vllm:kv_cache_usage_perc", "Share of KV blocks in use by sequences; 1 is all.",
               engine.kv_held_blocks / blocks);
    page.gauge("brigada_kv_cached_blocks", "Blocks that a prompt can be matched with.",
               engine.kv_cached_blocks);
    page.counter("vllm:prefix_cache_queries_total", "Prompt tokens looked up.", engine.kv.queries);
    page.counter("vllm:prefix_cache_hits_total", "Prompt tokens found.", engine.kv.hits);
    page.counter("brigada_reread_tokens_total",
                 "Prompt tokens computed again because their KV had been evicted.",
                 engine.kv.reread);
    page.counter("brigada_kv_evicted_blocks_total", "Blocks evicted.", engine.kv.evicted_blocks);
    page.counter("brigada_kv_superseded_blocks_total",
                 "Blocks demoted because a newer turn of their session left them behind.",
                 engine.kv.superseded_blocks);
    page.info("vllm:cache_config_info", "How the KV cache is set up.",
              {{"block_size", concat(engine.kv_block_tokens)},
               {"num_gpu_blocks", concat(engine.kv_blocks)},
               {"kv_bytes_per_token", concat(facts.kv_bytes_per_token)},
               {"enable_prefix_caching", "True"}});
}

void add_tokens(Page& page, const EngineSnapshot& engine) {
    page.counter("vllm:prompt_tokens_total", "Prompt tokens of requests that began to answer.",
                 engine.prompt_tokens);
    page.counter("vllm:generation_tokens_total", "Tokens generated.", engine.generated_tokens);
    page.counter("vllm:request_success_total", "Answers, by how they ended.", "finished_reason",
                 {{"stop", engine.requests_stopped}, {"length", engine.requests_length}});
    page.counter("brigada_requests_failed_total", "Requests that ended with an error.",
                 engine.requests_failed);
    page.counter("brigada_requests_cancelled_total", "Requests whose client went away.",
                 engine.requests_cancelled);
}

}  // namespace

Metrics::Metrics()
    : first_token_seconds_(histogram(registry_, "vllm:time_to_first_token_seconds",
                                     "From the request in full to its first token.",
                                     kRequestSeconds)),
      next_token_seconds_(histogram(registry_, "vllm:inter_token_latency_seconds",
                                    "Between two tokens of an answer.", kTokenSeconds)),
      request_seconds_(histogram(registry_, "vllm:e2e_request_latency_seconds",
                                 "From the request in full to its last token.", kRequestSeconds)),
      queue_seconds_(histogram(registry_, "vllm:request_queue_time_seconds",
                               "From the request in full to its first chunk.", kRequestSeconds)),
      prefill_seconds_(histogram(registry_, "vllm:request_prefill_time_seconds",
                                 "From the first chunk to the first token.", kRequestSeconds)),
      decode_seconds_(histogram(registry_, "vllm:request_decode_time_seconds",
                                "From the first token to the last.", kRequestSeconds)),
      step_tokens_(
          histogram(registry_, "vllm:iteration_tokens_total", "Tokens of one step.", kTokenCounts)),
      step_seconds_(
          histogram(registry_, "brigada_step_seconds", "Time of one step.", kTokenSeconds)),
      prompt_tokens_(histogram(registry_, "vllm:request_prompt_tokens",
                               "Prompt tokens of a request.", kTokenCounts)),
      generation_tokens_(histogram(registry_, "vllm:request_generation_tokens",
                                   "Tokens generated for a request.", kTokenCounts)),
      broken_calls_(prometheus::BuildCounter()
                        .Name("brigada_broken_tool_calls_total")
                        .Help("What began as a call of a tool and came back as text, by why.")
                        .Register(registry_)) {}

void Metrics::broken_call(std::string_view reason) {
    broken_calls_.Add({{"reason", std::string(reason)}}).Increment();
}

void Metrics::step(uint32_t tokens, Duration took) {
    step_tokens_.Observe(tokens);
    step_seconds_.Observe(took.seconds());
}

void Metrics::first_token(Duration since_received) {
    first_token_seconds_.Observe(since_received.seconds());
}

void Metrics::next_token(Duration since_last) {
    next_token_seconds_.Observe(since_last.seconds());
}

void Metrics::finished(const EngineUsage& usage, Duration since_received) {
    request_seconds_.Observe(since_received.seconds());
    queue_seconds_.Observe(usage.queued.seconds());
    prefill_seconds_.Observe(usage.prefill.seconds());
    decode_seconds_.Observe(usage.decode.seconds());
    prompt_tokens_.Observe(usage.prompt_tokens);
    generation_tokens_.Observe(usage.completion_tokens);
}

std::string Metrics::page(const std::string& model_name, const LoadedModel* model,
                          uint64_t http_requests) const {
    Page page(model ? registry_.Collect() : std::vector<MetricFamily>(), model_name);
    if (model) {
        const EngineSnapshot engine = model->engine().snapshot();
        add_scheduler(page, engine);
        add_kv(page, engine, model->started.facts);
        add_tokens(page, engine);
    }
    page.counter("brigada_http_requests_total", "Requests read in full.", http_requests);
    return page.text();
}

}  // namespace brigada
