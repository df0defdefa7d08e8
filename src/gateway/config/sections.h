// The readers of config.yaml's sections, one file each, and the draft they fill. A section is known
// by the fields its reader asks for; docs/gateway-config.md lists them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/config/gateway_config.h"
#include "gateway/config/yaml_reader.h"

namespace brigada {

/// One entry of credential_list: what a deployment says by litellm_credential_name.
struct CredentialSettings {
    std::string name = {};
    Secret api_key = {};
    std::optional<UpstreamAddress> address = {};
    std::string organization = {};
};

/// A model that is named somewhere. Whether there is one is known when all files are read.
struct ModelMention {
    YamlValue where;
    std::string model;
};

struct ConfigDraft {
    GatewayConfig config = {};
    std::vector<CredentialSettings> credentials = {};
    std::vector<ModelMention> mentions = {};
    const Environ& environment;
};

using SectionReader = void (*)(const YamlValue& section, ConfigDraft& draft);

void read_credential_list(const YamlValue& section, ConfigDraft& draft);
void read_litellm_settings(const YamlValue& section, ConfigDraft& draft);
void read_general_settings(const YamlValue& section, ConfigDraft& draft);
void read_router_settings(const YamlValue& section, ConfigDraft& draft);
void read_brigada_settings(const YamlValue& section, ConfigDraft& draft);
void read_model_list(const YamlValue& section, ConfigDraft& draft);  // after credential_list

// --- parts that several sections share ----------------------------------------------------------

std::optional<UpstreamAddress> read_address(const YamlValue& value);

/// A key that will stand in a header. A line break in it, as from a file's last line, is an error.
std::optional<Secret> read_header_secret(const YamlValue& value);

/// Whether it may stand in a header: no control characters.
bool is_header_value(std::string_view text);

/// ssl_verify, ssl_certificate and ssl_certificate_key, where there are any. A file is named by
/// what it is, and read when the front door opens.
void read_tls(YamlFields& fields, TlsSettings& out);

/// num_retries, fallbacks and their kin: litellm_settings and router_settings both have them.
void read_retries_and_fallbacks(YamlFields& fields, ConfigDraft& draft);

/// [{model: [others]}], replacing what `out` had.
void read_model_fallbacks(YamlFields& fields, std::string_view name, ConfigDraft& draft,
                          std::vector<ModelFallbacks>& out);

/// Host, port, password and url under keys that begin with `prefix`.
void read_redis(YamlFields& fields, const std::string& prefix, RedisSettings& out);

}  // namespace brigada
