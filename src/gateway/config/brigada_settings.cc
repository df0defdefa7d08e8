// brigada: what LiteLLM has no word for: where to listen, priority classes, alerts, draining.
#include <algorithm>

#include "base/concat.h"
#include "gateway/config/sections.h"

namespace brigada {
namespace {

constexpr IntegerRange kCount = {0, 1'000'000};

void read_listen(YamlFields& fields, ListenAddress& out) {
    const auto value = fields.find("listen");
    const auto text = value ? value->text() : std::nullopt;
    if (!text) return;
    auto address = parse_listen_address(*text);
    if (address.ok())
        out = *std::move(address);
    else
        value->error(address.error().message);
}

void read_class(YamlFields& classes, std::string_view name, ClassSettings& out) {
    const auto value = classes.find(name);
    if (!value) return;
    YamlFields fields(*value);
    fields.integer("floor", kCount, out.floor);
    fields.permille("share", out.share_permille);
    fields.integer("queue_requests", kCount, out.queue_requests);
    fields.megabytes("queue_mb", out.queue_bytes);
    fields.seconds("queue_wait_seconds", out.queue_wait);
    fields.finish();
}

void check_floors(const YamlValue& value, const AdmissionSettings& admission) {
    const int64_t floors =
        admission.guaranteed.floor + admission.standard.floor + admission.batch.floor;
    if (floors > admission.slots)
        value.error(concat("the floors of the classes are ", floors, " slots together; there are ",
                           admission.slots));
    for (const ClassSettings* each : {&admission.guaranteed, &admission.standard, &admission.batch})
        if (each->floor * 1000 > each->share_permille * admission.slots)
            value.error(concat("a floor of ", each->floor, " slots is over the class's share of ",
                               each->share_permille * admission.slots / 1000));
}

void read_admission(YamlFields& fields, AdmissionSettings& out) {
    fields.integer("slots", {1, 1'000'000}, out.slots);
    fields.seconds("ageing_seconds", out.ageing);
    fields.choice<ClassWord>("default_class",
                             {{"guaranteed", ClassWord::guaranteed},
                              {"standard", ClassWord::standard},
                              {"batch", ClassWord::batch}},
                             out.default_class);
    const auto value = fields.find("classes");
    if (!value) return;
    YamlFields classes(*value);
    read_class(classes, "guaranteed", out.guaranteed);
    read_class(classes, "standard", out.standard);
    read_class(classes, "batch", out.batch);
    classes.finish();
    check_floors(*value, out);
}

void read_alerts(YamlFields& fields, BrigadaSettings& out) {
    if (const auto url = fields.find("webhook_url"))
        if (read_address(*url)) out.webhook_url = url->text().value_or("");
    if (const auto token = fields.find("webhook_token"))
        out.webhook_token = read_header_secret(*token).value_or(Secret());
    fields.text("webhook_secret", out.webhook_secret);
    const auto thresholds = fields.find("alert_thresholds");
    if (!thresholds) return;
    out.alert_permille.clear();
    for (const YamlValue& item : thresholds->items())
        if (const auto permille = item.permille()) out.alert_permille.push_back(*permille);
    std::ranges::sort(out.alert_permille);
}

void read_budget_status(YamlFields& fields, int64_t& out) {
    fields.choice<int64_t>("budget_status", {{"429", 429}, {"400", 400}}, out);
}

void read_log(YamlFields& fields, LogSettings& out) {
    const auto value = fields.find("log");
    if (!value) return;
    YamlFields log(*value);
    log.choice<LogLevel>("level",
                         {{"debug", LogLevel::debug},
                          {"info", LogLevel::info},
                          {"warning", LogLevel::warning},
                          {"error", LogLevel::error}},
                         out.level);
    log.choice<LogFormat>(
        "format",
        {{"auto", LogFormat::automatic}, {"json", LogFormat::json}, {"text", LogFormat::text}},
        out.format);
    log.text("file", out.file);
    log.finish();
}

/// 0 seconds: no comments are sent.
void read_keepalive(YamlFields& fields, std::optional<Duration>& out) {
    fields.seconds("keepalive_seconds", out);
    if (out == Duration()) out.reset();
}

void read_pepper(YamlFields& fields, Secret& out) {
    constexpr size_t kLeastBytes = 16;
    const auto value = fields.find("pepper");
    if (!value) return;
    const std::string text = value->text().value_or("");
    if (text.size() < kLeastBytes)
        value->error(concat("a pepper of fewer than ", kLeastBytes, " bytes could be guessed"));
    out = Secret(text);
}

/// Redis is told 3 seconds after a gateway fell silent that it has: a message must not take longer.
void read_replicas(YamlFields& fields, BrigadaSettings& out) {
    fields.integer("replicas", {1, 1'000}, out.replicas);
    const auto timeout = fields.find("redis_timeout_seconds");
    fields.seconds("redis_timeout_seconds", out.redis_timeout);
    if (timeout &&
        (out.redis_timeout < Duration::milliseconds(1) || out.redis_timeout > Duration::seconds(2)))
        timeout->error("must be 0.001 to 2 seconds");
}

}  // namespace

void read_brigada_settings(const YamlValue& section, ConfigDraft& draft) {
    BrigadaSettings& brigada = draft.config.brigada;
    YamlFields fields(section);
    read_listen(fields, brigada.listen);
    fields.text("data_dir", brigada.data_dir);
    read_pepper(fields, brigada.pepper);
    read_admission(fields, brigada.admission);
    read_log(fields, brigada.log);
    read_alerts(fields, brigada);
    fields.megabytes("cache_mb", brigada.cache_bytes);
    fields.megabytes("kept_responses_mb", brigada.kept_response_bytes);
    fields.permille("cached_token_weight", brigada.cached_token_permille);
    read_budget_status(fields, brigada.budget_status);
    read_replicas(fields, brigada);
    read_keepalive(fields, brigada.keepalive);
    fields.seconds("connect_timeout_seconds", brigada.connect_timeout);
    fields.seconds("idle_timeout_seconds", brigada.idle_timeout);
    fields.boolean("http2", brigada.http2);
    fields.seconds("drain_grace_seconds", brigada.drain_grace);
    fields.seconds("ledger_sync_seconds", brigada.ledger_sync);
    read_model_fallbacks(fields, "overload_fallbacks", draft,
                         draft.config.router.fallbacks.overload);
    fields.finish();
}

}  // namespace brigada
