#include "plan/emit/engine_flags.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "plan/closed_form/solve.h"

namespace brigada {

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

std::string quoted(const std::string& word) {
    std::string out = "'";
    for (const char letter : word)
        letter == '\'' ? out += "'\\''" : out += letter;
    return out + "'";
}

/// What stands first in every script: which replica, on which accelerators.
std::string head(const EngineFlags& flags, uint32_t replicas, std::string_view file) {
    const uint32_t ranks = flags.tp * flags.dp;
    return fmt::format(
               "#!/bin/sh\n"
               "# Replica N of {0} (0 to {1}) on port 8000 + N, one machine with all "
               "accelerators:\n"
               "#   ./{2} N\n"
               "# On machines of their own, every replica is replica 0.\n"
               "set -eu\n"
               "replica=${{1:-0}}\n"
               "first=$((replica * {3}))\n"
               "export CUDA_VISIBLE_DEVICES=$(seq -s, \"$first\" $((first + {3} - 1)))\n",
               replicas, replicas - 1, file, ranks) +
           concat("# MODEL: where its weights are, a folder or a hub's name.\nmodel=${MODEL:-",
                  quoted(flags.model), "}\n");
}

class CommandLine {
  public:
    explicit CommandLine(std::string start) : text_(std::move(start)) {}

    template <typename... Words>
    void add(const Words&... words) {
        text_ += concat(" \\\n    ", words...);
    }
    std::string text() && { return std::move(text_) + "\n"; }

  private:
    std::string text_;
};

std::string llama_kv_type(KvDtype dtype) {
    switch (dtype) {
        case KvDtype::bf16:
            return "f16";
        case KvDtype::fp8:
        case KvDtype::q8_0:
            return "q8_0";
        case KvDtype::q4_0:
            return "q4_0";
    }
    return "f16";
}

bool is_eight_bits(KvDtype dtype) {
    return dtype == KvDtype::fp8 || dtype == KvDtype::q8_0;
}

std::string no_kv_dtype(KvDtype dtype) {
    if (dtype == KvDtype::bf16 || dtype == KvDtype::fp8) return "";
    return concat("# This engine has no ", to_string(dtype), " for KV; fp8 is the nearest.\n");
}

}  // namespace

uint32_t max_sequences(const PlanOption& option) {
    const double answering = std::max(1u, option.replicas - option.spare);
    const double running = option.degraded.running / answering;
    const double fit = kv_room_tokens(option.situation) / option.degraded.session_tokens;
    const double wanted = std::max(8.0, std::ceil(3 * running / 8) * 8);
    return static_cast<uint32_t>(std::min({wanted, std::max(8.0, std::floor(2 * fit)), 1024.0}));
}

EngineFlags flags_of(const PlanRequest& request, const PlanOption& option) {
    const Placement& deployment = option.situation.deployment;
    const double ram = option.candidate.ram_tier_bytes * option.candidate.accelerators();
    return {.model = request.model_name,
            .tp = deployment.tp,
            .dp = deployment.dp,
            .experts_apart = deployment.ep > 1,
            .kv_dtype = deployment.kv_dtype,
            .utilisation = deployment.utilisation,
            .max_context = deployment.max_context,
            .max_num_seqs = max_sequences(option),
            .step_tokens = deployment.step_tokens,
            .ram_tier_gib = static_cast<uint64_t>(ram / kGiB),
            .kv_tokens = static_cast<uint64_t>(option.situation.memory.blocks) *
                         option.situation.memory.kv_size.block_tokens * deployment.dp};
}

std::string vllm_script(const EngineFlags& flags, uint32_t replicas) {
    CommandLine line(concat(head(flags, replicas, "vllm.sh"), no_kv_dtype(flags.kv_dtype),
                            "exec vllm serve \"$model\""));
    line.add("--served-model-name ", quoted(flags.model));
    line.add("--host 127.0.0.1 --port $((8000 + replica))");
    if (flags.tp > 1) line.add("--tensor-parallel-size ", flags.tp);
    if (flags.dp > 1) line.add("--data-parallel-size ", flags.dp);
    if (flags.experts_apart) line.add("--enable-expert-parallel");
    if (flags.kv_dtype != KvDtype::bf16) line.add("--kv-cache-dtype fp8");
    line.add("--gpu-memory-utilization ", flags.utilisation);
    line.add("--max-model-len ", flags.max_context);
    line.add("--max-num-seqs ", flags.max_num_seqs);
    line.add("--max-num-batched-tokens ", flags.step_tokens);
    line.add("--enable-prefix-caching");
    if (flags.ram_tier_gib > 0)
        line.add("--kv-offloading-backend native --kv-offloading-size ", flags.ram_tier_gib);
    return std::move(line).text();
}

std::string sglang_script(const EngineFlags& flags, uint32_t replicas) {
    const char* const older = flags.dp > 1 ? "# SGLang before October 2026 calls --attn-dp-size N "
                                             "--dp-size N --enable-dp-attention.\n"
                                           : "";
    CommandLine line(concat(head(flags, replicas, "sglang.sh"), no_kv_dtype(flags.kv_dtype), older,
                            "exec python3 -m sglang.launch_server --model-path \"$model\""));
    line.add("--served-model-name ", quoted(flags.model));
    line.add("--host 127.0.0.1 --port $((8000 + replica)) --enable-metrics");
    line.add("--tp-size ", flags.tp * flags.dp);
    if (flags.dp > 1) line.add("--attn-dp-size ", flags.dp);
    if (flags.experts_apart) line.add("--ep-size ", flags.tp * flags.dp);
    if (flags.kv_dtype != KvDtype::bf16) line.add("--kv-cache-dtype fp8_e4m3");
    line.add(fmt::format("--mem-fraction-static {:.2f}", flags.utilisation - 0.02));
    line.add("--context-length ", flags.max_context);
    line.add("--max-running-requests ", flags.max_num_seqs);
    line.add("--chunked-prefill-size ", flags.step_tokens);
    if (flags.ram_tier_gib > 0)
        line.add("--enable-hierarchical-cache --hicache-size ",
                 flags.ram_tier_gib / (flags.tp * flags.dp));
    return std::move(line).text();
}

std::string llama_server_script(const EngineFlags& flags, uint32_t replicas) {
    const uint64_t fit =
        std::max<uint64_t>(1, flags.kv_tokens / std::max<uint64_t>(1, flags.max_context));
    const uint64_t slots = std::min<uint64_t>(flags.max_num_seqs, fit);
    CommandLine line(concat(head(flags, replicas, "llama-server.sh"),
                            "# MODEL.gguf: the same model as a GGUF file.\n"
                            "# Slots share the context evenly, so there are as many as whole "
                            "contexts fit.\n"
                            "exec llama-server -m \"${MODEL:-MODEL.gguf}\""));
    line.add("--host 127.0.0.1 --port $((8000 + replica)) --metrics");
    line.add("--n-gpu-layers 999 --flash-attn on");
    // The default lets one accelerator after the other work; the plan has all work at once.
    if (flags.tp > 1) line.add("--split-mode tensor");
    line.add("--ctx-size ", slots * flags.max_context, " --parallel ", slots);
    line.add("--cache-type-k ", llama_kv_type(flags.kv_dtype), " --cache-type-v ",
             llama_kv_type(flags.kv_dtype));
    line.add("--batch-size ", flags.step_tokens, " --ubatch-size ",
             std::min(flags.step_tokens, 512u));
    if (flags.ram_tier_gib > 0) line.add("--cache-ram ", flags.ram_tier_gib * 1024);
    std::string text = std::move(line).text();
    if (is_eight_bits(flags.kv_dtype) && flags.kv_dtype == KvDtype::fp8)
        text.insert(text.find("# Slots"), "# KV in fp8 is q8_0 here: 1.0625 bytes a number.\n");
    return text;
}

}  // namespace brigada
