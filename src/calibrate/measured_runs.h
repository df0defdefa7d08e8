// The runs of vLLM that were measured request by request (testdata/traces/vllm_measured), for
// tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "calibrate/fit.h"

namespace brigada {

/// What testdata/traces/ORIGIN says of one.
struct MeasuredRun {
    std::string file;
    std::string model;
    std::string accelerator;
    uint32_t tp = 1, dp = 1, ep = 1;
    uint32_t max_num_seqs = 128;  // of each data parallel rank
    uint32_t kv_blocks = 0;       // 0: not recorded; what our reckoning says
};

inline const MeasuredRun kMeasuredRuns[] = {
    {.file = "rtx4090_llama3.1-8b_tp1",
     .model = "Llama-3.1-8B",
     .accelerator = "RTX 4090",
     .max_num_seqs = 256,
     .kv_blocks = 2588},
    {.file = "rtxpro6000_llama3.1-8b_tp1",
     .model = "Llama-3.1-8B",
     .accelerator = "RTX PRO 6000 Blackwell (600W)"},
    {.file = "rtxpro6000_qwen3-32b_tp2",
     .model = "Qwen3-32B",
     .accelerator = "RTX PRO 6000 Blackwell (600W)",
     .tp = 2},
    {.file = "rtxpro6000_qwen3-30b-a3b_dp2ep2",
     .model = "Qwen3-30B-A3B",
     .accelerator = "RTX PRO 6000 Blackwell (600W)",
     .dp = 2,
     .ep = 2},
};

inline LoggedRun load_run(const MeasuredRun& measured) {
    constexpr uint32_t kStepTokens = 2048;
    LoggedRun run;
    run.name = measured.file;
    const Path path = Path(BRIGADA_TESTDATA) / "traces/vllm_measured" / (measured.file + ".csv");
    run.log = read_request_log(read_file(path, 1 << 20).value(), measured.file).value();
    Placement& d = run.placement;
    d.model = find_geometry(measured.model).value();
    d.accelerator = find_accelerator(measured.accelerator).value();
    d.tp = measured.tp;
    d.dp = measured.dp;
    d.ep = measured.ep;
    d.max_context = 32768;
    run.setup = {
        scheduler_like_vllm(kStepTokens * d.dp, measured.max_num_seqs * d.dp, d.max_context),
        measured.kv_blocks};
    if (measured.kv_blocks == 0)
        run.setup.kv_blocks = static_cast<uint32_t>(memory_budget(d).value().kv_tokens / 16);
    return run;
}

}  // namespace brigada
