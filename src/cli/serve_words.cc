#include "cli/serve_words.h"

#include <CLI/CLI.hpp>

#include "base/concat.h"
#include "hub/disk.h"
#include "hub/pull.h"

namespace brigada {

namespace {

constexpr size_t kMaxTemplateBytes = 1 << 20;

Compute compute_of(const std::string& word) {
    return word == "exact" ? Compute::exact : Compute::fast;
}

KvType kv_type_of(const std::string& word) {
    return word == "f32" ? KvType::f32 : word == "bf16" ? KvType::bf16 : KvType::f16;
}

}  // namespace

Result<ServeOptions> understand(const ServeWords& words) {
    ServeOptions out = words.options;
    TRY(const Cache cache, Cache::from_environment());
    TRY(out.model_path, resolve_model(cache, words.model));
    if (out.model_name.empty()) out.model_name = words.model;
    TRY(out.engine.isa, parse_isa(words.isa));
    out.engine.compute = compute_of(words.compute);
    out.engine.kv_type = kv_type_of(words.kv_type);
    if (words.kv_memory > 0) out.engine.kv_memory = words.kv_memory;
    if (!words.template_file.empty()) {
        TRY(out.chat_template, read_file(words.template_file, kMaxTemplateBytes));
    }
    out.limits.body_bytes = words.max_body;
    out.keep_alive = Duration::seconds(words.keep_alive_seconds);
    out.drain_grace = Duration::seconds(words.drain_seconds);
    return out;
}

std::string facts_line(const EngineFacts& facts) {
    return fmt::format("{} thread{}, {}, context {}, KV for {} tokens in {} ({} per token)",
                       facts.threads, facts.threads == 1 ? "" : "s", to_string(facts.isa),
                       facts.max_context, facts.kv_blocks * kKvBlockTokens,
                       human_bytes(facts.kv_bytes), human_bytes(facts.kv_bytes_per_token));
}

void add_engine_options(CLI::App& command, ServeWords& words) {
    EngineOptions& engine = words.options.engine;
    command.add_option("--threads", engine.threads, "threads that compute; 0: one per core")
        ->type_name("N")
        ->check(CLI::Range(0, 1024));
    command.add_option("--isa", words.isa, "instruction set: auto, portable, avx2 or avx512")
        ->type_name("ISA");
    command
        .add_option("--compute", words.compute, "fast rounds activations to 8 bits, exact keeps 32")
        ->type_name("HOW")
        ->check(CLI::IsMember({"fast", "exact"}));
    command
        .add_option("--kv-type", words.kv_type, "how keys and values are kept: f16, bf16 or f32")
        ->type_name("TYPE")
        ->check(CLI::IsMember({"f16", "bf16", "f32"}));
    command
        .add_option("--kv-memory", words.kv_memory,
                    "memory for keys and values, as in 4GB; else 40 % of what is free")
        ->type_name("SIZE")
        ->transform(CLI::AsSizeValue(false));
    command
        .add_option("--max-context", engine.max_context,
                    "tokens of prompt and answer; 0: the model's own")
        ->type_name("TOKENS");
    command
        .add_option("--chat-template", words.template_file,
                    "a Jinja file instead of the model's template")
        ->type_name("FILE");
    command
        .add_option("--tool-call-format", words.options.formats.tools,
                    concat("how the model writes calls of tools: ", tool_format_names()))
        ->type_name("NAME");
    command
        .add_option("--reasoning-format", words.options.formats.reasoning,
                    concat("how it marks its reasoning: ", reasoning_format_names()))
        ->type_name("NAME");
    command.add_option("--seed", engine.seed, "of requests that name none")->type_name("N");
}

void add_scheduler_options(CLI::App& command, SchedulerConfig& sched) {
    command
        .add_option("--step-tokens", sched.step_tokens, "tokens of one step, all requests together")
        ->type_name("N");
    command
        .add_option("--long-prefill", sched.long_prefill_threshold,
                    "of those, at most so many of one prompt; 0: half")
        ->type_name("N");
    command.add_option("--max-running", sched.max_running, "sequences computed at once")
        ->type_name("N");
    command.add_option("--max-waiting", sched.max_waiting, "sequences that may queue")
        ->type_name("N");
    command
        .add_option("--max-waiting-tokens", sched.max_waiting_tokens,
                    "prompt tokens that may queue")
        ->type_name("N");
}

}  // namespace brigada
