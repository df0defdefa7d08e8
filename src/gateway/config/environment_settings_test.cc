#include "gateway/config/environment_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace brigada {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Read {
    GatewayConfig config = {};
    std::vector<std::string> warnings = {};
};

Read read(const std::map<std::string, std::string>& variables, GatewayConfig config = {}) {
    ConfigNotes notes;
    const Environ environment = [&](std::string_view name) {
        const auto found = variables.find(std::string(name));
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    read_environment_settings(environment, config, notes);
    return {std::move(config), notes.warnings()};
}

TEST(EnvironmentSettings, spans_go_where_opentelemetry_says) {
    const OtelSettings none = read({}).config.callbacks.otel_to;
    EXPECT_EQ(none.traces_url, "http://localhost:4318/v1/traces");
    EXPECT_EQ(none.service_name, "brigada");
    const Read all = read({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example/base/"},
                           {"OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b, x=1%3D2"},
                           {"OTEL_SERVICE_NAME", "door"}});
    EXPECT_EQ(all.config.callbacks.otel_to.traces_url, "https://collector.example/base/v1/traces");
    EXPECT_EQ(all.config.callbacks.otel_to.service_name, "door");
    ASSERT_EQ(all.config.callbacks.otel_to.headers.size(), 2u);
    EXPECT_EQ(all.config.callbacks.otel_to.headers[0].value.reveal(), "a b");
    EXPECT_EQ(all.config.callbacks.otel_to.headers[1].name, "x");
    EXPECT_EQ(all.config.callbacks.otel_to.headers[1].value.reveal(), "1=2");
    EXPECT_THAT(all.warnings, IsEmpty());
    EXPECT_EQ(read({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://a"},
                    {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://b/x"}})
                  .config.callbacks.otel_to.traces_url,
              "http://b/x");
}

TEST(EnvironmentSettings, what_is_wrong_is_said_without_its_value) {
    EXPECT_THAT(read({{"OTEL_EXPORTER_OTLP_ENDPOINT", "secret"}}).warnings,
                ElementsAre(HasSubstr("OTEL_EXPORTER_OTLP_ENDPOINT: must begin with http://")));
    const Read headers = read({{"OTEL_EXPORTER_OTLP_HEADERS", "secret,a b=1,c=%0a,d=%zz,good=1"}});
    EXPECT_EQ(headers.warnings.size(), 4u);
    EXPECT_EQ(headers.config.callbacks.otel_to.headers.size(), 1u);
    for (const std::string& warning : headers.warnings)
        EXPECT_THAT(warning, testing::Not(HasSubstr("secret")));
}

TEST(EnvironmentSettings, the_webhook_is_told_when_alerting_asks_for_it) {
    GatewayConfig asked;
    asked.general.alerts_by_webhook = true;
    EXPECT_EQ(read({{"WEBHOOK_URL", "http://hook"}}).config.brigada.webhook_url, "");
    EXPECT_EQ(read({{"WEBHOOK_URL", "http://hook"}}, asked).config.brigada.webhook_url,
              "http://hook");
    EXPECT_THAT(read({}, asked).warnings, ElementsAre(HasSubstr("WEBHOOK_URL is not set")));
    EXPECT_THAT(read({{"WEBHOOK_URL", "hook"}}, asked).warnings,
                ElementsAre(HasSubstr("WEBHOOK_URL: must begin with http://")));
    asked.brigada.webhook_url = "http://own";
    EXPECT_EQ(read({{"WEBHOOK_URL", "http://hook"}}, asked).config.brigada.webhook_url,
              "http://own");
}

}  // namespace
}  // namespace brigada
