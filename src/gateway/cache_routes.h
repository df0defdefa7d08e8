// Cache routes: what administrators do with the answers that are kept, as LiteLLM's routes do it.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "gateway/gateway.h"

namespace brigada {

/// GET /cache/ping. Error::unavailable while no answers are kept.
Result<Json> ping_cache(Gateway& gateway);

/// POST /cache/delete with {"keys": [...]}, each an x-litellm-cache-key. Error::invalid_argument.
Result<Json> delete_from_cache(Gateway& gateway, std::string_view body);

/// POST /cache/flushall.
Result<Json> flush_cache(Gateway& gateway);

}  // namespace brigada
