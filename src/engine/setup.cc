#include "engine/setup.h"

#include <algorithm>
#include <utility>

#include "tokens/tokenizer.h"

namespace brigada {

namespace {

Result<uint32_t> choose_context(const ModelConfig& config, uint32_t wanted) {
    if (wanted == 0) return config.max_context;
    if (wanted > config.max_context)
        return Error{Code::invalid_argument,
                     concat("--max-context ", wanted, ": ", config.name, " was made for ",
                            config.max_context, " tokens at most")};
    return wanted;
}

/// Blocks that fit `bytes`; at least what one sequence of `context` tokens needs.
Result<uint32_t> choose_blocks(uint64_t bytes, uint64_t block_bytes, uint32_t context) {
    const uint64_t needed = (context + kKvBlockTokens - 1) / kKvBlockTokens;
    const uint64_t fitting = bytes / block_bytes;
    if (fitting < needed)
        return Error{Code::exhausted,
                     concat("KV for one sequence of ", context, " tokens takes ",
                            needed * block_bytes >> 20, " MiB and ", bytes >> 20,
                            " MiB are set aside; give more with --kv-memory or use ",
                            "--max-context ", fitting * kKvBlockTokens)};
    return static_cast<uint32_t>(std::min<uint64_t>(fitting, 1u << 30));
}

uint64_t kv_budget(const EngineOptions& options) {
    if (options.kv_memory) return *options.kv_memory;
    return static_cast<uint64_t>(static_cast<double>(read_cpu_facts().available_bytes) *
                                 kKvShareOfFreeMemory);
}

}  // namespace

Result<StartedEngine> start_engine(const Model& model, const EngineOptions& options,
                                   EngineObserver* observer, WeightsProgress progress) {
    EngineFacts facts{.threads = options.threads ? options.threads : read_cpu_facts().cores,
                      .isa = options.isa};
    TRY(facts.max_context, choose_context(model.config(), options.max_context));
    TRY(std::unique_ptr<Transformer> transformer,
        Transformer::load(model,
                          {.threads = facts.threads,
                           .isa = facts.isa,
                           .compute = options.compute,
                           .kv_type = options.kv_type,
                           .max_context = facts.max_context},
                          std::move(progress)));
    const uint64_t block_bytes = transformer->kv_bytes_per_block();
    TRY(facts.kv_blocks, choose_blocks(kv_budget(options), block_bytes, facts.max_context));
    facts.kv_bytes = facts.kv_blocks * block_bytes;
    facts.kv_bytes_per_token = block_bytes / kKvBlockTokens;
    facts.weight_bytes = transformer->weight_bytes();
    TRY(transformer->allocate_kv(facts.kv_blocks));

    EngineConfig config{.sched = options.sched,
                        .kv = {.blocks = facts.kv_blocks,
                               .block_tokens = kKvBlockTokens,
                               .ghost_blocks = 4 * facts.kv_blocks},
                        .seed = options.seed};
    config.sched.max_context = facts.max_context;
    TRY(check_config(config.sched));
    const AnswerContext answers{.tokenizer = model.tokenizer(),
                                .end_tokens = model.end_of_generation(),
                                .kernels = elementwise_kernels(facts.isa)};
    return StartedEngine{
        std::make_unique<Engine>(config, std::make_unique<ModelRunner>(std::move(transformer)),
                                 answers, observer),
        facts};
}

}  // namespace brigada
