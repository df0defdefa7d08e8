// Accelerator: one kind of GPU, slice or machine, as its datasheet has it; the catalogue of those
// that are known, and how a person declares another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace brigada {

struct Accelerator {
    std::string name;
    uint64_t memory_bytes = 0;  // usable, as the driver reports it
    double memory_bytes_per_s = 0;
    double bf16_flops = 0;        // dense, per second
    double fp8_flops = 0;         // 0: as bf16
    double fp4_flops = 0;         // 0: as fp8
    double link_bytes_per_s = 0;  // to its peers, one direction; 0: none (MIG)
    uint32_t link_domain = 1;     // how many are linked so
    double scale_out_bytes_per_s = 0;
    double watts = 0;
    double dollars_per_hour_low = 0, dollars_per_hour_high = 0;
    bool is_slice = false;  // MIG: no peers, no tensor parallelism
};

const std::vector<Accelerator>& known_accelerators();

/// By name, forgiving case, blanks and hyphens ("h100", "rtx 4090"). Error::not_found lists the
/// nearest.
Result<Accelerator> find_accelerator(const std::string& name);

/// {"name", "memory_gib", "bandwidth_gb_s", "bf16_tflops", ...}; errors name the field.
Result<Accelerator> accelerator_from_json(const Json& row);

}  // namespace brigada
