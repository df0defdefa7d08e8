#include "gateway/upstream_tls.h"

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

bool is_https(const Deployment& deployment) {
    return deployment.address && deployment.address->scheme == "https";
}

}  // namespace

Result<UpstreamTls> UpstreamTls::open(const GatewayConfig& config) {
    UpstreamTls out;
    for (const Deployment& deployment : config.deployments) {
        if (!is_https(deployment) || out.contexts_.contains(deployment.tls)) continue;
        Result<std::shared_ptr<TlsContext>> opened = TlsContext::open(deployment.tls);
        if (!opened.ok())
            return std::move(opened).error().in(
                concat("model_list '", deployment.model_name, "' (", deployment.id, ")"));
        out.contexts_[deployment.tls] = *std::move(opened);
    }
    return out;
}

std::shared_ptr<TlsContext> UpstreamTls::of(const Deployment& deployment) const {
    if (!is_https(deployment)) return nullptr;
    const auto found = contexts_.find(deployment.tls);
    CHECK(found != contexts_.end(), "no TLS was opened for ", deployment.id);
    return found->second;
}

}  // namespace brigada
