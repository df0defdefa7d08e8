// UpstreamCall: a client's call as one deployment wants it: its address, its credentials, its name
// for the model, and of the client's headers those that are the upstream's business.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "dialect/dialect.h"
#include "gateway/call_body.h"
#include "gateway/config/deployment.h"
#include "net/http_client.h"

namespace brigada {

/// What changes of the client's body: the upstream's name for the model, and usage is asked for.
std::vector<Splice> upstream_edits(const CallBody& read, std::string_view model);

/// What a tenant's calls say as `cache_salt`: tenants never have the same, and those of one tenant
/// differ where its clients want them to. All gateways make it alike.
std::string cache_salt(std::string_view tenant, std::string_view of_client);

/// Puts the salt into a body that was read as `read`, in its own place or at the front.
Splice salted(std::string_view body, const CallBody& read, std::string_view salt);

/// All but the body and the timeouts. `deployment` has an address, and `tls` when that is https
/// (CHECK): nothing meant for TLS goes out without. `forwards_all` passes the client's x-...
/// headers on, too.
HttpCall upstream_call(const Deployment& deployment, std::shared_ptr<TlsContext> tls,
                       Dialect dialect, const HttpHeaders& client, bool forwards_all = false);

/// Asks which models there are: what every such server answers, at no cost. The deployment has an
/// address, and `tls` as above (CHECK).
HttpCall upstream_check(const Deployment& deployment, std::shared_ptr<TlsContext> tls);

}  // namespace brigada
