// brigada serve: one model behind the OpenAI API on this machine's processor.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/pull_display.h"
#include "cli/serve_words.h"
#include "net/stop_signals.h"
#include "server/serve.h"

namespace brigada {

namespace {

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
