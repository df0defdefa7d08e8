// serve: the life of `brigada serve`. It listens first and loads then, so that /health can say how
// far loading is; it drains on the first signal and stops on the second.
#pragma once

#include <functional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "engine/setup.h"
#include "net/http.h"

namespace brigada {

struct ServeOptions {
    Path model_path;
    std::string model_name;  // as clients say it
    std::string host = "127.0.0.1";
    uint16_t port = 4000;  // 0: one the kernel chooses
    EngineOptions engine;
    HttpLimits limits;
    Duration keep_alive = Duration::seconds(10);
    Duration drain_grace = Duration::seconds(600);
    std::string chat_template;  // Jinja source that replaces the model's; "" for none
};

/// What a person or a script is told on the way. Called on the thread of serve().
struct ServeProgress {
    std::function<void(uint16_t port)> listening;
    std::function<void(uint64_t done, uint64_t total)> loading;
    std::function<void(uint16_t port, const EngineFacts& facts)> ready;
    std::function<void()> draining;
};

/// The caller has called block_stop_signals(). Returns when a signal has ended it: true when every
/// running answer finished.
Result<bool> serve(const ServeOptions& options, const ServeProgress& progress);

}  // namespace brigada
