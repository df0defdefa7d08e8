// ServeWords: what a command line says about an engine, for `brigada serve` and `brigada up`.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/pull_display.h"
#include "server/engine_server.h"

namespace brigada {

struct ServeWords {
    std::string model;
    std::string isa = "auto";
    std::string compute = "fast";
    std::string kv_type = "f16";
    std::string template_file;
    uint64_t kv_memory = 0;
    uint64_t max_body = HttpLimits{}.body_bytes;
    uint32_t keep_alive_seconds = 10;
    uint32_t drain_seconds = 600;
    ServeOptions options;
};

void add_engine_options(CLI::App& command, ServeWords& words);
void add_scheduler_options(CLI::App& command, SchedulerConfig& sched);

/// The words as options; what is not a matter of spelling is checked where it is used.
Result<ServeOptions> understand(const ServeWords& words);

/// "2 threads, avx2, context 8192, ...".
std::string facts_line(const EngineFacts& facts);

}  // namespace brigada
