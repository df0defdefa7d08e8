// What several sections of config.yaml are made of: addresses, fallbacks, Redis.
#include <algorithm>

#include "base/concat.h"
#include "gateway/config/sections.h"

namespace brigada {
namespace {

ModelFallbacks read_one(const std::string& model, const YamlValue& others, ConfigDraft& draft) {
    ModelFallbacks out{.model = model};
    if (model != "*") draft.mentions.push_back({others, model});
    if (auto names = others.texts()) out.instead = *std::move(names);
    for (const std::string& name : out.instead)
        draft.mentions.push_back({others, name});
    return out;
}

/// As in LiteLLM: a truth, or a file of authorities, which is known by its slash or dot.
void read_ssl_verify(const YamlValue& value, TlsSettings& out) {
    const auto text = value.text();
    if (!text) return;
    const bool is_file = text->find_first_of("/.") != text->npos;
    const auto verifies = is_file ? true : value.boolean();
    if (!verifies) return;
    out.verifies = *verifies;
    out.ca_file = is_file ? *text : "";
}

}  // namespace

std::optional<UpstreamAddress> read_address(const YamlValue& value) {
    const auto text = value.text();
    if (!text) return std::nullopt;
    auto address = parse_upstream_address(*text);
    if (address.ok()) return *std::move(address);
    value.error(address.error().message);
    return std::nullopt;
}

bool is_header_value(std::string_view text) {
    return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::optional<Secret> read_header_secret(const YamlValue& value) {
    auto text = value.text();
    if (!text) return std::nullopt;
    if (is_header_value(*text)) return Secret(*std::move(text));
    value.error("must not contain line breaks or other control characters");
    return std::nullopt;
}

void read_model_fallbacks(YamlFields& fields, std::string_view name, ConfigDraft& draft,
                          std::vector<ModelFallbacks>& out) {
    const auto value = fields.find(name);
    if (!value) return;
    out.clear();
    for (const YamlValue& item : value->items())
        for (const auto& [model, others] : item.entries())
            out.push_back(read_one(model, others, draft));
}

void read_retries_and_fallbacks(YamlFields& fields, ConfigDraft& draft) {
    RouterSettings& router = draft.config.router;
    fields.integer("num_retries", {0, 100}, router.num_retries);
    read_model_fallbacks(fields, "fallbacks", draft, router.fallbacks.general);
    read_model_fallbacks(fields, "context_window_fallbacks", draft,
                         router.fallbacks.context_window);
    read_model_fallbacks(fields, "content_policy_fallbacks", draft,
                         router.fallbacks.content_policy);
    fields.texts("default_fallbacks", router.fallbacks.otherwise);
    if (const auto value = fields.find("default_fallbacks"))
        for (const std::string& name : router.fallbacks.otherwise)
            draft.mentions.push_back({*value, name});
}

void read_tls(YamlFields& fields, TlsSettings& out) {
    if (const auto value = fields.find("ssl_verify")) read_ssl_verify(*value, out);
    if (const auto value = fields.find("ssl_certificate")) {
        out.certificate_file = value->text().value_or("");
        out.key_file.clear();  // another certificate, another key
    }
    fields.text("ssl_certificate_key", out.key_file);
    if (const auto key = fields.find("ssl_certificate_key"); key && out.certificate_file.empty())
        key->error("needs the ssl_certificate that it belongs to");
}

void read_redis(YamlFields& fields, const std::string& prefix, RedisSettings& out) {
    fields.text(prefix + "host", out.host);
    fields.integer(prefix + "port", {1, 65535}, out.port);
    fields.text(prefix + "password", out.password);
    fields.text(prefix + "url", out.url);
}

}  // namespace brigada
