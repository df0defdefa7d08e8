// GatewayMetrics: what the front door counts, as a page in Prometheus' text format. Labels are of
// the configuration (models, upstreams), of a fixed list, or of the first teams that call, so their
// number is bounded whatever clients send.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/time.h"
#include "base/usage.h"
#include "ledger/ledger.h"
#include "net/loop_watch.h"

namespace brigada {

class GatewayMetrics {
  public:
    GatewayMetrics();

    void call_began() { running_.Increment(); }
    /// A call that was answered, or refused here, with this status.
    void call_ended(std::string_view model, int status, Duration took);
    void first_byte(Duration since_received) {
        first_byte_seconds_.Observe(since_received.seconds());
    }
    /// `team` is its id; "" for calls of none.
    void spent(std::string_view model, std::string_view team, const Usage& usage, Money cost);
    void attempt(std::string_view upstream, std::string_view outcome);
    /// A health check has found an upstream down, or there again.
    void upstream_found(std::string_view upstream, bool is_down);
    void refused(std::string_view type);
    /// A budget has reached so many thousandths of its limit.
    void threshold_crossed(int32_t permille);
    void cache_prediction(int64_t predicted, int64_t reported);
    /// Tokens of a prompt, counted or estimated before the upstream said how many there were.
    void prompt_prediction(bool is_counted, int64_t expected, int64_t reported);
    /// A call looked for its answer among those kept.
    void cache_asked(bool hit) { (hit ? cache_hits_ : cache_misses_).Increment(); }

    void loop_was_late(const Lateness& lateness) {
        loop_late_seconds_.Observe(lateness.late.seconds());
        loop_busy_seconds_.Observe(lateness.busy.seconds());
    }

    /// Redis, when replicas share it.
    void redis_answered(Duration took) { redis_seconds_.Observe(took.seconds()); }
    void redis_failed() { redis_failures_.Increment(); }
    void limits_are_shared(bool shared) { limits_shared_.Set(shared ? 1 : 0); }

    std::string page(const LedgerBacklog& backlog, bool accepting) const;

  private:
    /// Counters of one name by one or two labels, found without making the labels anew.
    class Counters {
      public:
        /// Of more than `most` different first labels the rest are "other".
        Counters(prometheus::Registry& registry, const char* name, const char* help,
                 const char* first_label, const char* second_label = nullptr,
                 size_t most = std::numeric_limits<size_t>::max());

        prometheus::Counter& of(std::string_view first, std::string_view second = {});

      private:
        prometheus::Family<prometheus::Counter>& family_;
        const char* first_label_;
        const char* second_label_;
        const size_t most_;
        std::map<std::string, std::map<std::string, prometheus::Counter*, std::less<>>, std::less<>>
            known_;
    };

    prometheus::Registry registry_;
    Counters calls_;
    Counters tokens_;
    Counters spend_;
    Counters team_calls_;
    Counters team_tokens_;
    Counters team_spend_;
    Counters attempts_;
    Counters health_changes_;
    Counters refusals_;
    Counters thresholds_;
    prometheus::Counter& predicted_tokens_;
    prometheus::Counter& reported_tokens_;
    Counters prompt_expected_;
    Counters prompt_reported_;
    Counters prompt_wrong_;
    prometheus::Counter& cache_hits_;
    prometheus::Counter& cache_misses_;
    prometheus::Gauge& running_;
    prometheus::Histogram& call_seconds_;
    prometheus::Histogram& first_byte_seconds_;
    prometheus::Histogram& loop_late_seconds_;
    prometheus::Histogram& loop_busy_seconds_;
    prometheus::Histogram& redis_seconds_;
    prometheus::Counter& redis_failures_;
    prometheus::Gauge& limits_shared_;
};

}  // namespace brigada
