// UpstreamTls: the TLS contexts of a configuration's upstreams: files read, ready to be used by the
// loop. Deployments with the same settings share one, and with it the sessions to resume.
#pragma once

#include <map>
#include <memory>

#include "base/result.h"
#include "gateway/config/gateway_config.h"
#include "net/tls_context.h"

namespace brigada {

class UpstreamTls {
  public:
    /// Reads files: not on the loop. invalid_argument names the deployment and the file.
    static Result<UpstreamTls> open(const GatewayConfig& config);

    /// Null for one that is called by plain HTTP. The deployment is of the configuration that was
    /// opened (CHECK): nothing meant for TLS goes out without.
    std::shared_ptr<TlsContext> of(const Deployment& deployment) const;

  private:
    std::map<TlsSettings, std::shared_ptr<TlsContext>> contexts_;
};

}  // namespace brigada
