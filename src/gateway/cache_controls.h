// CacheControls: what a body, or the metadata of a key or team, says of the answer cache in
// LiteLLM's words, and the plan for one call that comes of all of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "dialect/dialect.h"
#include "gateway/config/gateway_config.h"

namespace brigada {

struct CacheControls {
    std::optional<bool> use_cache = {};     // on or off, where the configuration leaves it open
    bool no_cache = false;                  // ask an upstream, whatever is kept
    bool no_store = false;                  // keep nothing
    std::optional<Duration> ttl = {};       // to keep it
    std::optional<Duration> s_maxage = {};  // the oldest that will do
    std::string name_space = {};
};

/// {"use-cache", "no-cache", "no-store", "ttl", "s-maxage", "namespace"}, or true or false for
/// use-cache alone; null is nothing. Error::invalid_argument names the field under `name`.
Result<CacheControls> read_cache_controls(const Json& value, std::string_view name);

/// `narrow` and where it says nothing `wide`; what either forbids is forbidden.
CacheControls merged(CacheControls narrow, const CacheControls& wide);

/// How one call uses the cache.
struct CachePlan {
    bool reads = false;
    bool writes = false;
    std::optional<Duration> ttl = {};
    std::optional<Duration> max_age = {};
    std::string name_space = {};
};

/// Nothing when the call has nothing to do with the cache.
std::optional<CachePlan> cache_plan(const CacheSettings& settings, Dialect dialect,
                                    const CacheControls& controls);

}  // namespace brigada
