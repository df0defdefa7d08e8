// serve: the life of `brigada serve`: an EngineServer that drains on the first signal and stops on
// the second.
#pragma once

#include "server/engine_server.h"

namespace brigada {

/// The caller has called block_stop_signals(). Returns when a signal has ended it: true when every
/// running answer finished.
Result<bool> serve(const ServeOptions& options, const ServeProgress& progress);

}  // namespace brigada
