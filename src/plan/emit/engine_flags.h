// EngineFlags: the settings of one replica that every engine has, under whatever name; and the
// command lines of the engines we plan for.
#pragma once

#include <string>

#include "plan/candidate.h"

namespace brigada {

struct EngineFlags {
    std::string model = {};
    uint32_t tp = 1, dp = 1;
    bool experts_apart = false;
    KvDtype kv_dtype = KvDtype::bf16;
    double utilisation = 0.9;
    uint64_t max_context = 0;
    uint32_t max_num_seqs = 8;
    uint32_t step_tokens = 2048;
    uint64_t ram_tier_gib = 0;  // of the replica
    uint64_t kv_tokens = 0;     // of the replica
};

/// Sequences that a replica lets in at once: three times those in flight, so that bursts find room,
/// and no more than twice what its KV holds.
uint32_t max_sequences(const PlanOption& option);

EngineFlags flags_of(const PlanRequest& request, const PlanOption& option);

/// A shell script that starts replica N of `replicas` on port 8000 + N: `./vllm.sh 0`. A comment
/// says what the engine has no flag for.
std::string vllm_script(const EngineFlags& flags, uint32_t replicas);
std::string sglang_script(const EngineFlags& flags, uint32_t replicas);
std::string llama_server_script(const EngineFlags& flags, uint32_t replicas);

}  // namespace brigada
