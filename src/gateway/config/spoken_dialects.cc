// Which dialects an upstream answers as they come. Calls of the others are translated.
#include <algorithm>

#include "base/concat.h"
#include "gateway/config/deployment_parts.h"

namespace brigada {

namespace {

std::string known_endpoints() {
    std::string out;
    for (const Dialect dialect : kDialects)
        out += concat(out.empty() ? "" : ", ", "/v1", upstream_path(dialect));
    return out;
}

}  // namespace

void read_spoken(YamlFields& info, Deployment& out) {
    const auto value = info.find("supported_endpoints");
    if (!value) return;
    for (const YamlValue& item : value->items()) {
        const auto path = item.text();
        const auto dialect = path ? dialect_of(*path) : std::nullopt;
        if (path && !dialect)
            item.warn(concat("\"", *path, "\" is not served; ", known_endpoints(), " are"));
        if (dialect && std::ranges::find(out.spoken, *dialect) == out.spoken.end())
            out.spoken.push_back(*dialect);
    }
    if (out.spoken.empty()) value->must_be(concat("a list of some of ", known_endpoints()));
}

/// OpenAI serves all of its dialects; of what is called by its protocol only the first ones are
/// sure.
void settle_spoken(Deployment& out) {
    if (!out.spoken.empty()) return;
    if (out.dialect == UpstreamDialect::anthropic)
        out.spoken = {Dialect::messages, Dialect::count_tokens};
    else if (out.mode == "responses")
        out.spoken = {Dialect::responses};
    else
        out.spoken = {Dialect::chat, Dialect::completions, Dialect::embeddings};
    if (out.provider == "openai" && out.mode != "responses")
        out.spoken.push_back(Dialect::responses);
}

}  // namespace brigada
