// FakeConfig: a configuration for tests, its files and its environment in memory.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/concat.h"
#include "gateway/config/load_config.h"

namespace brigada {

/// A master key and one model, so that no warning comes from their absence.
inline const std::string kCompleteConfig =
    "general_settings: {master_key: os.environ/KEY}\n"
    "model_list: [{model_name: m, litellm_params: {model: openai/m, api_base: http://h}}]\n";

struct FakeConfig {
    std::map<std::string, std::string> files = {};
    std::map<std::string, std::string> variables = {{"KEY", "sk-master"}};

    Result<LoadedConfig> load(const std::string& path = "config.yaml") const {
        const Environ environment = [this](std::string_view name) {
            const auto found = variables.find(std::string(name));
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        };
        return load_config(path, environment, [this](const Path& file) -> Result<std::string> {
            const auto found = files.find(file.string());
            if (found != files.end()) return found->second;
            return Error{Code::not_found, concat(file.string(), ": cannot open")};
        });
    }
};

inline Result<LoadedConfig> load_text(const std::string& text) {
    return FakeConfig{.files = {{"config.yaml", text}}}.load();
}

/// What is said of a text: its error, or its warnings, a line each.
inline std::string notes_of(const Result<LoadedConfig>& loaded) {
    if (!loaded.ok()) return loaded.error().message;
    std::string out;
    for (const std::string& warning : loaded->warnings)
        out += (out.empty() ? "" : "\n") + warning;
    return out;
}

}  // namespace brigada
