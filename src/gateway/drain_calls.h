// drain_calls: how an orchestrator empties a gateway before it stops the process.
#pragma once

#include "base/json.h"
#include "gateway/gateway.h"
#include "net/http_server.h"

namespace brigada {

/// From now on no call is let in, and readiness is 503; those that run go on. Returns when they
/// have ended, after brigada.drain_grace_seconds, or when the client has left.
Task<Json> drain_calls(Gateway& gateway, Responder& responder);

}  // namespace brigada
