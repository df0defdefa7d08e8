// Session report: what the router remembers of one session, call by call: where each went, how much
// of its prompt was expected to be cached there, how much was, and why they differ.
#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"
#include "gateway/gateway.h"

namespace brigada {

/// GET /sessions/{id}. Nothing when this tenant has no such session, or it was forgotten.
std::optional<Json> session_report(Gateway& gateway, std::string_view tenant,
                                   std::string_view session);

}  // namespace brigada
