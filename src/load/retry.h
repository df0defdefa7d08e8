// Retry: when a call that failed is tried again, as the SDKs of OpenAI and Anthropic do it. Source:
// their default clients, 2025: 408, 409, 429, 5xx and lost connections; 0.5 s doubling up to 8 s,
// less up to a quarter at random; a Retry-After of at most a minute instead; x-should-retry
// overrides.
#pragma once

#include <cstdint>
#include <optional>

#include "base/rng.h"
#include "base/time.h"
#include "net/http.h"

namespace brigada {

/// How long to wait before the attempt after number `attempt` (from 1). `status` 0: no answer came,
/// and `headers` are empty. nullopt: it would fail again.
std::optional<Duration> retry_after(int status, const HttpHeaders& headers, uint32_t attempt,
                                    Rng& rng);

}  // namespace brigada
