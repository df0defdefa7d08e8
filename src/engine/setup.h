// setup: from an opened model and a few wishes to an engine that runs: chooses threads, instruction
// set and the number of KV blocks, loads the weights, starts the thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "engine/weights.h"
#include "hw/cpu.h"
#include "kernels/kv_layout.h"
#include "kernels/matmul.h"
#include "model/model.h"
#include "sched/config.h"

namespace brigada {

struct EngineOptions {
    unsigned threads = 0;  // 0: as many as cores
    Isa isa = best_isa();
    Compute compute = Compute::fast;
    KvType kv_type = KvType::f16;
    std::optional<uint64_t> kv_memory;  // bytes for KV; unset: a share of what is free
    uint32_t max_context = 0;           // tokens of one sequence; 0: the model's own
    SchedulerConfig sched;              // max_context is filled in
    uint64_t seed = 0;
};

/// What was chosen, for people.
struct EngineFacts {
    unsigned threads = 1;
    Isa isa = Isa::portable;
    uint32_t max_context = 0;
    uint32_t kv_blocks = 0;
    uint64_t kv_bytes = 0;
    uint64_t kv_bytes_per_token = 0;
    uint64_t weight_bytes = 0;  // read per decoded token
};

/// Part of the free memory that KV takes when nothing is said: the rest is for weights still being
/// paged in, activations and the others on this machine.
inline constexpr double kKvShareOfFreeMemory = 0.4;

struct StartedEngine {
    std::unique_ptr<Engine> engine;
    EngineFacts facts;
};

/// `model` and `observer` must outlive the engine. Errors: a context the model does not have, too
/// little memory for one sequence of that context (both say what would work), a bad config.
Result<StartedEngine> start_engine(const Model& model, const EngineOptions& options,
                                   EngineObserver* observer, WeightsProgress progress);

}  // namespace brigada
