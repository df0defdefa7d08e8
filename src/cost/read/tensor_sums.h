// TensorSums: the parameters and bytes of a file's tensors by the part of the model they belong to,
// which their names say.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace brigada {

struct TensorSum {
    uint64_t params = 0, bytes = 0;

    void add(uint64_t more_params, uint64_t more_bytes) {
        params += more_params;
        bytes += more_bytes;
    }
    /// `otherwise` where there are none.
    double param_bytes(double otherwise) const {
        return params == 0 ? otherwise : static_cast<double>(bytes) / static_cast<double>(params);
    }
};

struct LayerSums {
    TensorSum attention, dense, experts;
    uint64_t whole_params = 0;  // norms, routers, ways into latents
    bool has_keys = false;      // attention with heads
    bool has_latent = false;    // MLA
    bool has_state = false;     // Mamba and the like
};

struct TensorSums {
    std::vector<LayerSums> layers;  // those of the model; further ones are left out
    TensorSum embedding, other;
};

/// Adds one tensor under its GGUF name: "blk.3.attn_q.weight".
void add_gguf_tensor(TensorSums& sums, std::string_view name, uint64_t params, uint64_t bytes,
                     bool is_vector);

/// Adds one under its name in a Hugging Face file: "model.layers.3.self_attn.q_proj.weight".
/// Parameters are not counted: packed numbers do not show how many they are.
void add_hugging_face_tensor(TensorSums& sums, std::string_view name, uint64_t bytes);

}  // namespace brigada
