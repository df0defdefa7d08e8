// Settings that other software takes from the environment and not from a file: where alerts and
// spans are sent to.
#pragma once

#include "gateway/config/gateway_config.h"
#include "gateway/config/yaml_reader.h"

namespace brigada {

/// WEBHOOK_URL, when general_settings.alerting lists webhook and brigada.webhook_url says nothing;
/// OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS and
/// OTEL_SERVICE_NAME. What is wrong is a warning without the value, which may hold a secret.
void read_environment_settings(const Environ& environment, GatewayConfig& config,
                               ConfigNotes& notes);

}  // namespace brigada
