// Seen: what the front door shows of itself to the outside: a line in the log, spans to a
// collector, alerts to a webhook. Whoever has something to tell calls one function here and goes
// on; sending is other threads' business.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "admit/budgets.h"
#include "base/rng.h"
#include "gateway/config/gateway_config.h"
#include "gateway/directory/directory.h"
#include "gateway/seen/alert_book.h"
#include "gateway/seen/budget_alert.h"
#include "gateway/seen/call_story.h"
#include "gateway/seen/gateway_log.h"
#include "gateway/seen/kept_alerts.h"
#include "gateway/seen/outbox.h"
#include "gateway/upstream_set.h"
#include "ledger/ledger.h"

namespace brigada {

/// Loop thread only, but for log().
class Seen {
  public:
    /// Error::io names a log file that can't be written. `seed` makes the ids of spans.
    static Result<std::unique_ptr<Seen>> open(const GatewayConfig& config, uint64_t seed);
    ~Seen();

    GatewayLog& log() { return *log_; }

    // --- traces ---------------------------------------------------------------------------------

    /// Whether spans are sent. When not, a client's trace context passes through untouched.
    bool traces() const { return spans_ != nullptr; }
    SpanId new_span_id() { return SpanId{ids_.next() | 1}; }
    TraceId new_trace_id() { return {ids_.next() | 1, ids_.next()}; }

    // --- what happened --------------------------------------------------------------------------

    void call_ended(const CallFacts& facts, const CallPlace& place);
    void threshold_crossed(const ThresholdCrossing& crossed, const Directory& directory);
    void budget_refused(const BudgetRefusal& refused, const Directory& directory);
    /// What came of reading the configuration again: what there is to say about it, or why not.
    void reloaded(const Result<std::vector<std::string>>& notes);
    /// Tells of an upstream that has gone down or come back since it was last looked at.
    void look_at(const Upstream& upstream);
    void look_at(const LedgerBacklog& backlog);

    /// Nothing when none are sent.
    std::optional<OutboxCounts> span_counts() const;
    std::optional<OutboxCounts> alert_counts() const;

    /// Counters in Prometheus' text format.
    std::string metrics_page() const;

    /// Keeps in the file the alerts that wait, and tells those that an earlier process left there.
    /// Error::io.
    Result<void> keep_alerts_in(const Path& file);

    /// Sends what waits, each once; alerts that are not taken are kept. Not on the loop.
    void stop();

  private:
    Seen(const GatewayConfig& config, std::unique_ptr<GatewayLog> log, uint64_t seed);
    void open_spans(const OtelSettings& settings);
    void open_alerts(const BrigadaSettings& settings);
    void send(Alert alert);
    void give_up(const WaitingAlert& alert, const PostOutcome& outcome);
    void look_at_trouble(const char* thing, const std::string& words);

    std::unique_ptr<GatewayLog> log_;
    Rng ids_;
    AlertBook told_;
    std::atomic<bool> is_stopping_ = false;
    std::unique_ptr<KeptAlerts> kept_;              // null: nobody is told, or nothing is kept
    std::unique_ptr<Outbox<TraceSpan>> spans_;      // null: none are sent
    std::unique_ptr<Outbox<WaitingAlert>> alerts_;  // null: nobody is told
};

}  // namespace brigada
