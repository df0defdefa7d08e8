#include "gateway/token_counters.h"

#include <utility>

#include "base/concat.h"
#include "hub/cache.h"

namespace brigada {

namespace {

/// A path as it is; else a model that was pulled.
Result<Path> path_of(const TokenizerSettings& settings) {
    std::error_code failed;
    if (std::filesystem::exists(settings.identifier, failed)) return Path(settings.identifier);
    TRY(const Cache cache, Cache::from_environment());
    const bool is_main = settings.revision.empty() || settings.revision == "main";
    return resolve_model(
        cache, is_main ? settings.identifier : concat(settings.identifier, "@", settings.revision));
}

/// When its file was written last; of a folder, the tokenizer's.
std::filesystem::file_time_type changed_at(const Path& path) {
    std::error_code failed;
    const bool is_folder = std::filesystem::is_directory(path, failed);
    return std::filesystem::last_write_time(is_folder ? path / "tokenizer.json" : path, failed);
}

}  // namespace

TokenCounters TokenCounters::open(const GatewayConfig& config, const TokenCounters* before) {
    TokenCounters out;
    if (before) out.last_number_ = before->last_number_;
    for (const Deployment& deployment : config.deployments) {
        const TokenizerSettings& settings = deployment.tokenizer;
        if (settings.identifier.empty() || out.opened_.contains(settings)) continue;
        Result<Opened> opened = out.open_one(settings, before);
        if (!opened.ok())
            out.warnings_.push_back(
                concat("model_list '", deployment.model_name, "' (", deployment.id,
                       ") model_info.custom_tokenizer.identifier \"", settings.identifier,
                       "\": ", opened.error().message, "; its prompts are estimated"));
        out.opened_[settings] = opened.ok() ? *std::move(opened) : Opened{};
    }
    return out;
}

Result<TokenCounters::Opened> TokenCounters::open_one(const TokenizerSettings& settings,
                                                      const TokenCounters* before) {
    TRY(const Path path, path_of(settings));
    const auto changed = changed_at(path);
    if (before)
        if (const auto kept = before->opened_.find(settings); kept != before->opened_.end() &&
                                                              kept->second.counter &&
                                                              kept->second.changed == changed)
            return kept->second;
    TRY(PromptModel model,
        open_prompt_model({path, settings.chat_template, settings.chatml_if_none}));
    return Opened{.changed = changed,
                  .counter = std::make_shared<NumberedCounter>(
                      NumberedCounter{++last_number_, PromptCounter(std::move(model))})};
}

CounterRef TokenCounters::of(const Deployment& deployment) const {
    const auto found = opened_.find(deployment.tokenizer);
    return found == opened_.end() ? nullptr : found->second.counter;
}

}  // namespace brigada
