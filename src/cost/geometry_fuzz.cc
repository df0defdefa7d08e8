// Any text as a config.json: read, and what comes out held against itself: sizes for every KV dtype
// and number of ranks, and what fits on an accelerator.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cost/placement.h"
#include "cost/rank_weights.h"

namespace {

using namespace brigada;

void require(bool condition) {
    if (!condition) std::abort();
}

/// More ranks never need more on each.
void check_sizes(const ModelGeometry& model) {
    for (const KvDtype dtype : {KvDtype::bf16, KvDtype::fp8, KvDtype::q8_0, KvDtype::q4_0}) {
        KvSize last = kv_size(model, dtype, 1);
        require(last.block_tokens >= 16 && last.block_tokens % 16 == 0);
        for (const uint32_t tp : {2, 3, 8, 4096}) {
            const KvSize size = kv_size(model, dtype, tp);
            require(size.per_token <= last.per_token && size.per_sequence <= last.per_sequence);
            last = size;
        }
    }
}

void check_budgets(const ModelGeometry& model) {
    Placement d{.model = model, .accelerator = known_accelerators().front()};
    for (const uint32_t tp : {1, 2, 3, 8, 64}) {
        d.tp = tp;
        const Result<MemoryBudget> budget = memory_budget(d);
        if (!budget.ok()) {
            require(!budget.error().message.empty());
            continue;
        }
        require(budget->weights + budget->activations + budget->engine + budget->kv ==
                budget->memory);
        require(budget->kv_size.sequence_bytes(model.max_context) <= budget->kv);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Result<Json> config = parse_config(text, "fuzz");
    if (!config.ok()) return 0;
    const Result<ModelGeometry> model = geometry_from_json(*config, "fuzz");
    if (!model.ok()) {
        require(model.error().message.starts_with("fuzz: "));
        return 0;
    }
    require(!model->layers.empty() && model->params() > 0);
    require(model->active_params() <= model->params() + model->output_params());
    check_sizes(*model);
    check_budgets(*model);
    return 0;
}
