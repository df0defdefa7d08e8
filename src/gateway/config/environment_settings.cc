#include "gateway/config/environment_settings.h"

#include "base/concat.h"
#include "gateway/config/sections.h"
#include "net/http.h"
#include "net/http_grammar.h"

namespace brigada {
namespace {

/// general_settings.alerting says that WEBHOOK_URL is to be told; brigada.webhook_url outranks it.
void fill_webhook(const Environ& environment, GatewayConfig& config, ConfigNotes& notes) {
    std::string& url = config.brigada.webhook_url;
    if (!config.general.alerts_by_webhook || !url.empty()) return;
    const std::string text = environment("WEBHOOK_URL").value_or("");
    if (text.empty())
        notes.warn("alerting by webhook: WEBHOOK_URL is not set, so nobody is told");
    else if (const auto address = parse_upstream_address(text); !address.ok())
        notes.warn(concat("WEBHOOK_URL: ", address.error().message, "; nobody is told"));
    else
        url = text;
}

/// "a=b,c=d", each percent-encoded, as the OpenTelemetry specification has it.
void read_otel_headers(std::string_view text, OtelSettings& out, ConfigNotes& notes) {
    while (!text.empty()) {
        const size_t end = std::min(text.find(','), text.size());
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const size_t equals = pair.find('=');
        if (equals == pair.npos) {
            notes.warn("OTEL_EXPORTER_OTLP_HEADERS: a header without '=' is left out");
            continue;
        }
        const auto value = percent_decode(trim_blanks(pair.substr(equals + 1)));
        const std::string_view name = trim_blanks(pair.substr(0, equals));
        if (value.ok() && is_http_token(name) && is_header_value(*value))
            out.headers.push_back({.name = std::string(name), .value = Secret(*value)});
        else
            notes.warn("OTEL_EXPORTER_OTLP_HEADERS: a header that can't be sent is left out");
    }
}

void fill_otel(const Environ& environment, OtelSettings& out, ConfigNotes& notes) {
    const auto given = [&](std::string_view name) { return environment(name).value_or(""); };
    if (std::string base = given("OTEL_EXPORTER_OTLP_ENDPOINT"); !base.empty()) {
        while (base.ends_with('/'))
            base.pop_back();
        out.traces_url = base + "/v1/traces";
    }
    if (std::string url = given("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); !url.empty())
        out.traces_url = std::move(url);
    if (const auto address = parse_upstream_address(out.traces_url); !address.ok())
        notes.warn(concat("OTEL_EXPORTER_OTLP_ENDPOINT: ", address.error().message));
    read_otel_headers(given("OTEL_EXPORTER_OTLP_HEADERS"), out, notes);
    if (std::string name = given("OTEL_SERVICE_NAME"); !name.empty())
        out.service_name = std::move(name);
}

}  // namespace

void read_environment_settings(const Environ& environment, GatewayConfig& config,
                               ConfigNotes& notes) {
    fill_webhook(environment, config, notes);
    fill_otel(environment, config.callbacks.otel_to, notes);
}

}  // namespace brigada
