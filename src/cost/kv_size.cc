#include "cost/kv_size.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/concat.h"
#include "model/shown.h"

namespace brigada {

namespace {

/// Engines page KV in blocks of this many tokens, and round larger blocks to it.
constexpr uint64_t kBlock = 16;
constexpr uint64_t kLargestBlock = 1 << 20;

/// Of `numbers` that lie next to each other. q8_0: 32 bytes and a 16-bit scale for 32 numbers;
/// q4_0: 16 and a scale.
uint64_t bytes_of(uint64_t numbers, KvDtype dtype) {
    switch (dtype) {
        case KvDtype::bf16:
            return numbers * 2;
        case KvDtype::fp8:
            return numbers;
        case KvDtype::q8_0:
            return (numbers + 31) / 32 * 34;
        case KvDtype::q4_0:
            return (numbers + 31) / 32 * 18;
    }
    return 0;
}

uint64_t ceil_div(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

/// One layer on one rank.
struct LayerSize {
    uint64_t per_token = 0;     // grows
    uint64_t per_sequence = 0;  // does not
    uint64_t window_token = 0;  // per position of a window
    uint64_t state = 0;         // of per_sequence, what is a state that takes a block
};

struct SizeOf {
    KvDtype dtype;
    uint32_t tp;

    LayerSize operator()(const HeadsKv& kv) const {
        const uint64_t heads = ceil_div(kv.kv_heads, tp);
        const uint64_t token =
            heads * (bytes_of(kv.key_dim, dtype) + bytes_of(kv.value_dim, dtype));
        if (kv.window == 0) return {.per_token = token};
        return {.per_sequence = token * kv.window, .window_token = token};
    }

    /// With a sparse indexer, fp8 keeps a scale for each 128 numbers of the latent, and the rotated
    /// part in bf16.
    LayerSize operator()(const LatentKv& kv) const {
        if (kv.indexer_bytes != 0 && dtype == KvDtype::fp8)
            return {.per_token = kv.latent + ceil_div(kv.latent, 128) * 4 + uint64_t{kv.rope} * 2 +
                                 kv.indexer_bytes};
        return {.per_token = bytes_of(uint64_t{kv.latent} + kv.rope, dtype) + kv.indexer_bytes};
    }

    LayerSize operator()(const CompressedKv& kv) const {
        const uint64_t entry = bytes_of(kv.latent, dtype);
        const uint64_t behind = kv.ratio == 0 ? 0 : ceil_div(entry + kv.indexer_bytes, kv.ratio);
        return {.per_token = behind,
                .per_sequence = entry * kv.window + kv.state_bytes,
                .window_token = entry - behind};
    }

    LayerSize operator()(const StateKv& kv) const {
        const uint64_t bytes = ceil_div(kv.bytes, tp);
        return {.per_sequence = bytes, .state = bytes};
    }

    LayerSize operator()(const NoKv&) const { return {}; }
};

struct Word {
    std::string_view text;
    KvDtype dtype;
};

constexpr std::array kWords = {
    Word{"bf16", KvDtype::bf16},    Word{"fp8", KvDtype::fp8},      Word{"q8_0", KvDtype::q8_0},
    Word{"q4_0", KvDtype::q4_0},    Word{"auto", KvDtype::bf16},    Word{"bfloat16", KvDtype::bf16},
    Word{"f16", KvDtype::bf16},     Word{"fp16", KvDtype::bf16},    Word{"float16", KvDtype::bf16},
    Word{"fp8_e4m3", KvDtype::fp8}, Word{"fp8_e5m2", KvDtype::fp8},
};

}  // namespace

std::string_view to_string(KvDtype dtype) {
    return std::ranges::find(kWords, dtype, &Word::dtype)->text;
}

Result<KvDtype> parse_kv_dtype(std::string_view word) {
    const auto at = std::ranges::find(kWords, word, &Word::text);
    if (at != kWords.end()) return at->dtype;
    return Error{Code::invalid_argument, concat(shown(word),
                                                " is no KV dtype; bf16, fp8, q8_0 and "
                                                "q4_0 are")};
}

KvSize kv_size(const ModelGeometry& model, KvDtype dtype, uint32_t tp) {
    KvSize size{.block_tokens = kBlock};
    uint64_t largest_state = 0;
    uint64_t token_of_layer = 0;  // of a layer that grows
    for (const LayerGeometry& layer : model.layers) {
        const LayerSize each = std::visit(SizeOf{dtype, std::max(tp, 1u)}, layer.kv);
        size.per_token += each.per_token;
        size.per_sequence += each.per_sequence;
        size.per_token_full_pages += each.per_token + each.window_token;
        largest_state = std::max(largest_state, each.state);
        token_of_layer = std::max(token_of_layer, each.per_token);
    }
    // All layers draw blocks from one pool, so a block of a layer that grows is made as large as
    // the largest state.
    if (largest_state != 0 && token_of_layer != 0) {
        const uint64_t tokens = ceil_div(ceil_div(largest_state, token_of_layer), kBlock) * kBlock;
        size.block_tokens = static_cast<uint32_t>(std::min(tokens, kLargestBlock));
    }
    return size;
}

}  // namespace brigada
