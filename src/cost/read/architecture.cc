#include "cost/read/architecture.h"

#include <algorithm>
#include <array>

#include "base/joined.h"

namespace brigada {

namespace {

// Source: the configuration and modelling code of transformers, and the models' own remote code.
constexpr ArchitectureTraits kKnown[] = {
    {.type = "llama", .output_bias = true},
    {.type = "mistral", .windows = WindowRule::every},
    {.type = "ministral", .windows = WindowRule::every},
    {.type = "ministral3", .windows = WindowRule::every},
    {.type = "mixtral", .windows = WindowRule::every},
    {.type = "qwen2", .qkv_bias = true, .windows = WindowRule::above_first},
    {.type = "qwen2_moe",
     .qkv_bias = true,
     .shared_gate = true,
     .windows = WindowRule::above_first},
    {.type = "qwen2_vl", .qkv_bias = true, .windows = WindowRule::above_first},
    {.type = "qwen2_5_vl", .qkv_bias = true, .windows = WindowRule::above_first},
    {.type = "qwen2_vl_text", .qkv_bias = true, .windows = WindowRule::above_first},
    {.type = "qwen2_5_vl_text", .qkv_bias = true, .windows = WindowRule::above_first},
    {.type = "qwen3",
     .qk_norm = QkNorm::heads,
     .output_bias = true,
     .windows = WindowRule::above_first,
     .head_dim = 128},
    {.type = "qwen3_moe",
     .qk_norm = QkNorm::heads,
     .output_bias = true,
     .windows = WindowRule::above_first},
    {.type = "qwen3_vl_text", .qk_norm = QkNorm::heads, .output_bias = true, .head_dim = 128},
    {.type = "qwen3_vl_moe_text", .qk_norm = QkNorm::heads, .output_bias = true},
    {.type = "qwen3_next",
     .qk_norm = QkNorm::heads,
     .output_gate = true,
     .shared_gate = true,
     .head_dim = 256},
    {.type = "qwen3_5_text",
     .qk_norm = QkNorm::heads,
     .output_gate = true,
     .shared_gate = true,
     .head_dim = 256},
    {.type = "qwen3_5_moe_text",
     .qk_norm = QkNorm::heads,
     .output_gate = true,
     .shared_gate = true,
     .head_dim = 256},
    {.type = "gemma", .tied = true, .head_dim = 256},
    {.type = "gemma2",
     .norms = 4,
     .tied = true,
     .windows = WindowRule::even,
     .head_dim = 256,
     .window = 4096},
    {.type = "gemma3_text",
     .norms = 4,
     .qk_norm = QkNorm::heads,
     .tied = true,
     .windows = WindowRule::odd_ones,
     .period = 6,
     .head_dim = 256,
     .window = 4096,
     .context = 131072,
     .vocab = 262208},
    {.type = "gemma4_text",
     .norms = 4,
     .qk_norm = QkNorm::heads,
     .tied = true,
     .windows = WindowRule::odd_ones,
     .period = 6,
     .head_dim = 256,
     .window = 1024},
    {.type = "phi3", .windows = WindowRule::every},
    {.type = "phimoe", .windows = WindowRule::every},
    {.type = "cohere", .norms = 1, .tied = true},
    {.type = "cohere2",
     .norms = 1,
     .tied = true,
     .windows = WindowRule::odd_ones,
     .period = 4,
     .window = 4096},
    {.type = "olmo2", .qk_norm = QkNorm::whole},
    {.type = "olmo3",
     .qk_norm = QkNorm::whole,
     .windows = WindowRule::odd_ones,
     .period = 4,
     .window = 4096},
    {.type = "smollm3", .tied = true},
    {.type = "granite"},
    {.type = "granitemoe"},
    {.type = "granitemoehybrid", .tied = true},
    {.type = "nemotron", .gated = false},
    {.type = "internlm2"},
    {.type = "exaone4", .qk_norm = QkNorm::heads},
    {.type = "seed_oss", .qkv_bias = true, .head_dim = 128},
    {.type = "mimo", .qkv_bias = true},
    {.type = "glm4", .norms = 4, .qkv_bias = true},
    {.type = "glm4_moe"},
    {.type = "glm4v_moe_text"},
    {.type = "ernie4_5", .tied = true, .head_dim = 128},
    {.type = "ernie4_5_moe", .tied = true},
    {.type = "dots1", .qk_norm = QkNorm::heads},
    {.type = "gpt_oss",
     .qkv_bias = true,
     .output_bias = true,
     .windows = WindowRule::even,
     .head_dim = 64,
     .window = 128},
    {.type = "llama4_text"},
    {.type = "minimax_m2", .qk_norm = QkNorm::whole},
    {.type = "minimax_m3", .qk_norm = QkNorm::heads},
    {.type = "mimo_v2_flash"},
    {.type = "step3p5", .qk_norm = QkNorm::heads},
    {.type = "step3p7", .qk_norm = QkNorm::heads},
    {.type = "deepseek_v2"},
    {.type = "deepseek_v3"},
    {.type = "deepseek_v32"},
    {.type = "kimi_k2"},
    {.type = "kimi_linear"},
    {.type = "glm4_moe_lite"},
    {.type = "glm_moe_dsa"},
    {.type = "deepseek_v4", .assembly = Assembly::deepseek_v4},
    {.type = "jamba"},
    {.type = "falcon_h1", .assembly = Assembly::falcon_h1},
    {.type = "nemotron_h", .assembly = Assembly::nemotron_h, .norms = 1, .gated = false},
    {.type = "nemotron-nas", .assembly = Assembly::deci},
};

}  // namespace

const ArchitectureTraits* find_architecture(std::string_view type) {
    const auto at = std::ranges::find(kKnown, type, &ArchitectureTraits::type);
    return at == std::end(kKnown) ? nullptr : &*at;
}

std::string known_architectures() {
    std::array<std::string_view, std::size(kKnown)> types;
    std::ranges::transform(kKnown, types.begin(), &ArchitectureTraits::type);
    return joined(types);
}

}  // namespace brigada
