// brigada up: an engine and the front door before it, in one process: keys, limits, budgets and a
// ledger for a model on this machine's processor.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "base/concat.h"
#include "cli/commands.h"
#include "cli/gateway_words.h"
#include "cli/serve_words.h"
#include "gateway/kept_secret.h"
#include "net/stop_signals.h"
#include "server/engine_server.h"

namespace brigada {

namespace {

struct UpWords {
    ServeWords engine;
    GatewayWords gateway;
};

/// Where the engine answers, and with which key: whoever is on this machine goes through the door.
struct EngineAccess {
    std::string model;
    uint16_t port = 0;
    Secret key = {};
    int64_t kv_tokens = 0;
    TokenizerSettings tokenizer = {};
};

void point_at(const EngineAccess& engine, Deployment& deployment) {
    deployment.address = UpstreamAddress{.host = "127.0.0.1", .port = engine.port};
    deployment.api_key = engine.key;
    deployment.upstream_model = engine.model;
    deployment.engine.kv_tokens = engine.kv_tokens;
    deployment.tokenizer = engine.tokenizer;
    deployment.spoken = {Dialect::chat, Dialect::completions};  // the rest the door translates
}

/// Deployments of `brigada/NAME` are the engine; where the file has none, there is one all the
/// same.
void add_engine(const EngineAccess& engine, GatewayConfig& config) {
    bool is_there = false;
    for (Deployment& deployment : config.deployments) {
        if (!is_engine_of_up(deployment)) continue;
        point_at(engine, deployment);
        is_there = true;
    }
    if (is_there) return;
    Deployment& added = config.deployments.emplace_back();
    added.id = "engine";
    added.model_name = engine.model;
    added.provider = "brigada";
    point_at(engine, added);
}

/// The file's, else of the environment, else one made at the first start and kept in the data
/// folder.
Result<void> choose_master_key(GatewayConfig& config, bool is_start) {
    Secret& key = config.general.master_key;
    for (const std::string_view name : {"BRIGADA_MASTER_KEY", "LITELLM_MASTER_KEY"})
        if (key.empty()) key = Secret(process_environment(name).value_or(""));
    if (!key.empty()) return {};
    const Path folder = config.brigada.data_dir;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
        return Error{Code::io, concat("can't make the data folder ", folder.string(), ": ",
                                      failed.message())};
    TRY(std::string kept, read_or_make_secret(folder / "master-key", os_random()));
    key = Secret(std::move(kept));
    if (is_start) note(concat("master key: in ", (folder / "master-key").string()));
    return {};
}

Result<LoadedConfig> understand_gateway(const GatewayWords& words, const EngineAccess& engine,
                                        bool is_start) {
    TRY(LoadedConfig loaded, understand(words));
    add_engine(engine, loaded.config);
    TRY(choose_master_key(loaded.config, is_start));
    return loaded;
}

ServeProgress tell_engine(PullDisplay& display, const ServeOptions& options) {
    ServeProgress out;
    out.listening = [&](uint16_t) {
        display.note(concat("loading ", options.model_path.string()));
    };
    out.loading = [&](uint64_t done, uint64_t total) { display.bytes("loading", done, total); };
    out.ready = [&](uint16_t, const EngineFacts& facts) { display.note(facts_line(facts)); };
    return out;
}

Result<std::unique_ptr<EngineServer>> start_engine(const UpWords& words, EngineAccess& access) {
    TRY(ServeOptions options, understand(words.engine));
    options.host = "127.0.0.1";
    options.port = 0;
    options.key = make_key_text(os_random());
    PullDisplay display(std::cerr, ::isatty(STDERR_FILENO) == 1, false);
    TRY(std::unique_ptr<EngineServer> server,
        EngineServer::start(options, tell_engine(display, options), stop_requested));
    const EngineFacts& facts = server->facts();
    access = {.model = options.model_name,
              .port = server->port(),
              .key = Secret(options.key),
              .kv_tokens = static_cast<int64_t>(facts.kv_blocks) * kKvBlockTokens,
              .tokenizer = {.identifier = options.model_path.string(),
                            .chat_template = options.chat_template,
                            .chatml_if_none = true}};
    return server;
}

Result<void> run_up(const UpWords& words) {
    block_stop_signals();
    block_reload_signal();
    TRY(understand(words.gateway));  // before the model is loaded for minutes
    EngineAccess access;
    auto started = start_engine(words, access);
    if (!started.ok() && started.error().code == Code::cancelled) return {};
    TRY(const std::unique_ptr<EngineServer> engine, std::move(started));
    TRY(LoadedConfig loaded, understand_gateway(words.gateway, access, true));
    const GatewayProgress progress =
        tell_gateway(loaded, concat("\"", access.model, "\" and ", describe(loaded.config)));
    const auto reread = [&] { return understand_gateway(words.gateway, access, false); };
    TRY(serve_gateway(std::move(loaded.config), reread, progress));
    return {};
}

}  // namespace

void add_up_command(CLI::App& app, Action& action) {
    CLI::App* command =
        app.add_subcommand("up", "a model with keys, limits, budgets and a ledger, all in one");
    const auto words = std::make_shared<UpWords>();
    command
        ->add_option("model", words->engine.model,
                     "a pulled model, a .gguf file or a folder with safetensors")
        ->required()
        ->type_name("MODEL");
    command->add_option("--name", words->engine.options.model_name, "what clients call the model")
        ->type_name("NAME");
    add_gateway_options(*command, words->gateway);
    add_engine_options(*command, words->engine);
    add_scheduler_options(*command, words->engine.options.engine.sched);
    command->footer(
        "Without --config the model is there under its name and costs nothing. In a file,\n"
        "`model: brigada/NAME` in litellm_params is this engine, with the prices beside it; other\n"
        "deployments stand beside it.\n\n"
        "The master key is the file's, or BRIGADA_MASTER_KEY's, or made at the first start and "
        "kept in\n"
        "the data folder as master-key. What the front door serves: brigada gateway --help.");
    command->callback([&action, words] { action = [words] { return run_up(*words); }; });
}

}  // namespace brigada
