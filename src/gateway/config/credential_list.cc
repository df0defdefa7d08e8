// credential_list: keys and addresses that deployments name instead of repeating.
#include "gateway/config/sections.h"

namespace brigada {
namespace {

void read_values(const YamlValue& value, CredentialSettings& out) {
    YamlFields fields(value);
    if (const auto key = fields.find("api_key"))
        out.api_key = read_header_secret(*key).value_or(Secret());
    fields.text("organization", out.organization);
    if (const auto address = fields.find("api_base")) out.address = read_address(*address);
    fields.unused({"api_version"}, "upstreams are called without a version");
    fields.finish();
}

}  // namespace

void read_credential_list(const YamlValue& section, ConfigDraft& draft) {
    for (const YamlValue& item : section.items()) {
        CredentialSettings out;
        YamlFields fields(item);
        if (const auto name = fields.require("credential_name"))
            out.name = name->text().value_or("");
        if (const auto values = fields.require("credential_values")) read_values(*values, out);
        fields.find("credential_info");  // a description for people
        fields.finish();
        draft.credentials.push_back(std::move(out));
    }
}

}  // namespace brigada
