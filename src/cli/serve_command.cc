// brigada serve: one model behind the OpenAI API on this machine's processor.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/pull_display.h"
#include "hub/disk.h"
#include "hub/pull.h"
#include "net/stop_signals.h"
#include "server/serve.h"

namespace brigada {

namespace {

struct ServeWords {
    std::string model;
    std::string isa = "auto";
    std::string compute = "fast";
    std::string kv_type = "f16";
    std::string template_file;
    uint64_t kv_memory = 0;
    uint64_t max_body = HttpLimits{}.body_bytes;
    uint32_t keep_alive_seconds = 10;
    uint32_t drain_seconds = 600;
    ServeOptions options;
};

constexpr size_t kMaxTemplateBytes = 1 << 20;

Compute compute_of(const std::string& word) {
    return word == "exact" ? Compute::exact : Compute::fast;
}

KvType kv_type_of(const std::string& word) {
    return word == "f32" ? KvType::f32 : word == "bf16" ? KvType::bf16 : KvType::f16;
}

/// The words as options; what is not a matter of spelling is checked where it is used.
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

ServeProgress tell(const ServeOptions& options, PullDisplay& display) {
    ServeProgress out;
    out.listening = [&](uint16_t port) {
        display.note(concat("listening on ", options.host, ":", port, ", loading ",
                            options.model_path.string()));
    };
    out.loading = [&](uint64_t done, uint64_t total) { display.bytes("loading", done, total); };
    out.ready = [&](uint16_t port, const EngineFacts& facts) {
        display.note(facts_line(facts));
        display.note(concat("ready: http://", options.host, ":", port, "/v1 serves \"",
                            options.model_name, "\"; Ctrl-C stops"));
    };
    out.draining = [&] {
        display.note("finishing running answers; a second Ctrl-C cuts them off");
    };
    return out;
}

Result<void> run_serve(const ServeWords& words) {
    block_stop_signals();
    TRY(const ServeOptions options, understand(words));
    PullDisplay display(std::cerr, ::isatty(STDERR_FILENO) == 1, false);
    TRY(const bool finished, serve(options, tell(options, display)));
    display.note(finished ? "stopped" : "stopped; some answers were cut off");
    return {};
}

void add_network_options(CLI::App& command, ServeWords& words) {
    ServeOptions& options = words.options;
    command.add_option("--host", options.host, "address to listen on; 0.0.0.0 for all")
        ->type_name("ADDRESS");
    command.add_option("--port", options.port, "port to listen on; 0: any free one")
        ->type_name("PORT");
    command.add_option("--name", options.model_name, "what clients call the model")
        ->type_name("NAME");
    command.add_option("--max-body", words.max_body, "largest request body, as in 32MB")
        ->type_name("SIZE")
        ->transform(CLI::AsSizeValue(false));
    command
        .add_option("--keep-alive", words.keep_alive_seconds,
                    "silence on a stream before a comment is sent")
        ->type_name("SECONDS")
        ->check(CLI::Range(1, 86'400));
    command
        .add_option("--drain", words.drain_seconds,
                    "how long running answers may finish at the end")
        ->type_name("SECONDS");
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

}  // namespace

void add_serve_command(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("serve", "answer OpenAI's API with one model");
    const auto words = std::make_shared<ServeWords>();
    command
        ->add_option("model", words->model,
                     "a pulled model, a .gguf file or a folder with safetensors")
        ->required()
        ->type_name("MODEL");
    add_network_options(*command, *words);
    add_engine_options(*command, *words);
    add_scheduler_options(*command, words->options.engine.sched);
    command->footer(
        "Paths: /v1/chat/completions, /v1/completions, /v1/models, /tokenize, /detokenize,\n"
        "/health (200 once the model is loaded), /metrics, /debug/state.\n\n"
        "SIGTERM and Ctrl-C let running answers finish; a second one cuts them off.");
    command->callback([&action, words] { action = [words] { return run_serve(*words); }; });
}

}  // namespace brigada
