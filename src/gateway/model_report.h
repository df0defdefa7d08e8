// Model report: the deployments as LiteLLM's GET /model/info shows them, with what their tokens
// cost now and how that was computed. Addresses and keys of upstreams are not in it.
#pragma once

#include "base/json.h"
#include "base/time.h"
#include "gateway/directory/caller.h"
#include "gateway/upstream_set.h"

namespace brigada {

/// Those whose models the caller may use.
Json model_report(const UpstreamSet& upstreams, const Caller& caller, Instant now);

}  // namespace brigada
