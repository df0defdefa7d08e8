// WeightFormat: how many bytes a parameter of each matrix takes, by a config.json's
// quantization_config: its method, its groups and the modules it leaves out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cost/geometry.h"
#include "cost/read/model_measures.h"

namespace brigada {

/// Numbers of a matrix with their scales.
struct NumberFormat {
    double bytes = 2;  // per parameter
    ComputeDtype compute = ComputeDtype::bf16;
    bool mxfp4 = false;
};

class WeightFormat {
  public:
    /// Absent quantization_config: what dtype says, 16 bits where it is absent as well.
    /// Error::unsupported names a method that is not known.
    static Result<WeightFormat> read(const ConfigFields& outer, const ConfigFields& text,
                                     ModelMeasures& measures);

    /// Of a matrix of layer `i`, named within it ("self_attn.q_proj"); an empty name is one that is
    /// never quantised. `expert`: of routed experts.
    NumberFormat of_layer(uint32_t i, std::string_view matrix, bool expert = false) const;
    NumberFormat of_output() const;
    NumberFormat plain() const { return plain_; }

  private:
    struct Group {
        NumberFormat format;
        std::vector<std::string> targets;  // none: every matrix
    };

    Result<void> read_method(const ConfigFields& config, ModelMeasures& measures);
    Result<void> read_groups(const ConfigFields& groups, ModelMeasures& measures);
    Result<void> read_left_out(const ConfigFields& config, ModelMeasures& measures);
    bool left_out(std::string_view module) const;
    NumberFormat in_group(const Group& group, bool expert) const;
    NumberFormat of(std::span<const std::string> modules, bool expert) const;

    NumberFormat plain_;
    std::vector<Group> groups_;
    std::vector<std::string> left_out_;
    double expert_bytes_ = 0;  // DeepSeek-V4 says it beside the method; 0: as everything
};

}  // namespace brigada
