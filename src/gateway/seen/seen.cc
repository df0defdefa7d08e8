#include "gateway/seen/seen.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <utility>

#include "base/concat.h"

namespace brigada {

namespace {

/// For one POST; a stop waits so long for somebody who does not answer.
constexpr Duration kPatience = Duration::seconds(5);

/// A span is about 1.5 KB: 16,384 of them wait in 25 MB.
constexpr OutboxOptions kSpanBox = {
    .capacity = 16'384, .batch = 512, .gather = Duration::seconds(1), .tries = 6};
/// About eight minutes until an alert is given up.
constexpr OutboxOptions kAlertBox = {.capacity = 1'024, .tries = 12};

std::vector<SpanAttribute> resource_of(const OtelSettings& settings) {
    return {{"service.name", settings.service_name},
            {"telemetry.sdk.name", std::string("brigada")}};
}

PostHeaders otlp_headers(const OtelSettings& settings) {
    PostHeaders out{{"Content-Type", "application/json"}};
    for (const HeaderSetting& header : settings.headers)
        out.emplace_back(header.name, header.value.reveal());
    return out;
}

PostHeaders alert_headers(const BrigadaSettings& settings, const WaitingAlert& alert) {
    const int64_t now = WallClock().now().ns / 1'000'000'000;
    PostHeaders out{{"Content-Type", "application/json"},
                    {"webhook-id", alert.id},
                    {"webhook-timestamp", std::to_string(now)}};
    if (!settings.webhook_token.empty())
        out.emplace_back("Authorization", concat("Bearer ", settings.webhook_token.reveal()));
    if (!settings.webhook_secret.empty())
        out.emplace_back("webhook-signature", webhook_signature(settings.webhook_secret.reveal(),
                                                                alert.id, now, alert.body));
    return out;
}

std::string why_down(const Upstream& upstream) {
    const std::string what =
        concat("upstream ", upstream.deployment->id, " of model ", upstream.deployment->model_name);
    const Breaker& breaker = upstream.breaker();
    if (breaker.open_for_one())
        return concat(what, " has failed ", breaker.failures(),
                      " times in a row, always for the same tenant, which it is kept from for a "
                      "while");
    if (!breaker.open()) return concat(what, " does not answer health checks");
    return concat(what, " has failed ", breaker.failures(),
                  " times in a row: it is left alone for a while");
}

prometheus::MetricFamily counter(std::string name, std::string help, double value) {
    prometheus::ClientMetric metric;
    metric.counter.value = value;
    return {std::move(name), std::move(help), prometheus::MetricType::Counter, {metric}};
}

void add_counts(std::vector<prometheus::MetricFamily>& out, const std::string& what,
                const OutboxCounts& counts) {
    out.push_back(counter(concat("brigada_", what, "_sent_total"), concat("Sent and taken: ", what),
                          static_cast<double>(counts.sent)));
    out.push_back(counter(concat("brigada_", what, "_dropped_total"),
                          concat("Dropped because too many waited or nobody took them: ", what),
                          static_cast<double>(counts.dropped)));
}

}  // namespace

Seen::Seen(const GatewayConfig& config, std::unique_ptr<GatewayLog> log, uint64_t seed)
    : log_(std::move(log)), ids_(seed) {
    if (config.callbacks.otel) open_spans(config.callbacks.otel_to);
    if (!config.brigada.webhook_url.empty()) open_alerts(config.brigada);
}

Seen::~Seen() = default;

Result<std::unique_ptr<Seen>> Seen::open(const GatewayConfig& config, uint64_t seed) {
    LogSettings settings = config.brigada.log;
    if (config.callbacks.json_logs) settings.format = LogFormat::json;
    if (config.callbacks.verbose) settings.level = LogLevel::debug;
    TRY(std::unique_ptr<GatewayLog> log, GatewayLog::open(settings));
    return std::unique_ptr<Seen>(new Seen(config, std::move(log), seed));
}

void Seen::open_spans(const OtelSettings& settings) {
    const auto post = std::make_shared<HttpPost>(settings.traces_url, kPatience);
    spans_ = std::make_unique<Outbox<TraceSpan>>(
        kSpanBox,
        [post, headers = otlp_headers(settings),
         resource = resource_of(settings)](const std::vector<TraceSpan>& batch) {
            return post->post(headers, otlp_json(batch, resource));
        },
        [log = log_.get()](const std::vector<TraceSpan>& batch, const PostOutcome& outcome) {
            log->write(log->line(LogLevel::warning, "spans_dropped")
                           .add("spans", batch.size())
                           .add("reason", outcome.words));
        });
}

void Seen::open_alerts(const BrigadaSettings& settings) {
    const auto post = std::make_shared<HttpPost>(settings.webhook_url, kPatience);
    alerts_ = std::make_unique<Outbox<WaitingAlert>>(
        kAlertBox,
        [this, post, settings](const std::vector<WaitingAlert>& batch) {
            const WaitingAlert& alert = batch.front();
            PostOutcome outcome = post->post(alert_headers(settings, alert), alert.body);
            if (outcome.kind == PostOutcome::Kind::taken && kept_) kept_->taken(alert.id);
            return outcome;
        },
        [this](const std::vector<WaitingAlert>& batch, const PostOutcome& outcome) {
            give_up(batch.front(), outcome);
        });
}

/// An alert that was not taken when the gateway stopped waits for the next one.
void Seen::give_up(const WaitingAlert& alert, const PostOutcome& outcome) {
    const bool waits = kept_ && is_stopping_ && outcome.kind == PostOutcome::Kind::try_again;
    if (kept_ && !waits) kept_->taken(alert.id);
    log_->write(log_->line(LogLevel::error, waits ? "alert_kept" : "alert_dropped")
                    .add("alert", alert.event)
                    .add("message", alert.message)
                    .add("reason", outcome.words));
}

Result<void> Seen::keep_alerts_in(const Path& file) {
    if (!alerts_) return {};
    TRY(kept_, KeptAlerts::open(file, [log = log_.get()](const std::string& why) {
            log->write(log->line(LogLevel::error, "alerts_not_kept").add("message", why));
        }));
    for (WaitingAlert& alert : kept_->take_left())
        alerts_->put(std::move(alert));
    return {};
}

void Seen::call_ended(const CallFacts& facts, const CallPlace& place) {
    if (const LogLevel level = level_of(facts); log_->writes(level)) {
        LogLine line = log_->line(level, "call");
        tell_call(facts, place, line);
        log_->write(std::move(line));
    }
    if (!spans_ || !place.parent.sampled()) return;
    for (TraceSpan& span : call_spans(facts, place))
        spans_->put(std::move(span));
}

void Seen::threshold_crossed(const ThresholdCrossing& crossed, const Directory& directory) {
    Alert alert = threshold_alert(crossed, directory);
    log_->write(log_->line(LogLevel::warning, "budget_threshold").add("message", alert.message));
    send(std::move(alert));
}

void Seen::budget_refused(const BudgetRefusal& refused, const Directory& directory) {
    if (!told_.is_news(refused)) return;
    Alert alert = exhausted_alert(refused, directory);
    log_->write(log_->line(LogLevel::warning, "budget_exhausted").add("message", alert.message));
    send(std::move(alert));
}

void Seen::reloaded(const Result<std::vector<std::string>>& notes) {
    if (!notes.ok()) {
        log_->write(log_->line(LogLevel::error, "reload_refused")
                        .add("message",
                             concat("the configuration stays as it was: ", notes.error().message)));
        return;
    }
    for (const std::string& note : *notes)
        log_->write(log_->line(LogLevel::warning, "configuration").add("message", note));
    log_->write(log_->line(LogLevel::info, "reload")
                    .add("message", "the configuration was read again and is in force"));
}

void Seen::look_at(const Upstream& upstream) {
    const std::string& id = upstream.deployment->id;
    const Breaker& breaker = upstream.breaker();
    const bool is_down = breaker.open() || breaker.open_for_one() || upstream.state->seems_down;
    const AlertBook::Change change = told_.look("upstream " + id, is_down);
    if (change == AlertBook::Change::none) return;
    Alert alert{
        .event = is_down ? "upstream_down" : "upstream_up", .group = "proxy", .upstream = id};
    alert.message = is_down ? why_down(upstream) : concat("upstream ", id, " answers again");
    log_->write(log_->line(is_down ? LogLevel::warning : LogLevel::info, alert.event)
                    .add("upstream", id)
                    .add("message", alert.message));
    send(std::move(alert));
}

void Seen::look_at(const LedgerBacklog& backlog) {
    look_at_trouble("ledger log", backlog.log_trouble);
    look_at_trouble("ledger store", backlog.store_trouble);
}

void Seen::look_at_trouble(const char* thing, const std::string& words) {
    const AlertBook::Change change = told_.look(thing, !words.empty());
    if (change == AlertBook::Change::none) return;
    const bool began = change == AlertBook::Change::began;
    Alert alert{.event = began ? "ledger_trouble" : "ledger_recovered", .group = "proxy"};
    alert.message = began ? concat("the ", thing, " can't be written: ", words)
                          : concat("the ", thing, " can be written again");
    log_->write(log_->line(began ? LogLevel::error : LogLevel::info, alert.event)
                    .add("message", alert.message));
    send(std::move(alert));
}

void Seen::send(Alert alert) {
    if (!alerts_) return;
    alert.at = WallClock().now();
    alert.id = concat("brigada-", new_trace_id().hex());
    WaitingAlert waiting{alert.id, alert.event, alert.message, alert_json(alert)};
    if (kept_) kept_->add(waiting);
    alerts_->put(std::move(waiting));
}

std::optional<OutboxCounts> Seen::span_counts() const {
    return spans_ ? std::optional(spans_->counts()) : std::nullopt;
}

std::optional<OutboxCounts> Seen::alert_counts() const {
    return alerts_ ? std::optional(alerts_->counts()) : std::nullopt;
}

std::string Seen::metrics_page() const {
    std::vector<prometheus::MetricFamily> out{counter("brigada_log_lines_dropped_total",
                                                      "Log lines dropped because too many waited",
                                                      static_cast<double>(log_->dropped()))};
    add_counts(out, "spans", span_counts().value_or(OutboxCounts{}));
    add_counts(out, "alerts", alert_counts().value_or(OutboxCounts{}));
    return prometheus::TextSerializer().Serialize(out);
}

void Seen::stop() {
    is_stopping_ = true;
    if (spans_) spans_->stop();
    if (alerts_) alerts_->stop();
    if (kept_) kept_->stop();
}

}  // namespace brigada
