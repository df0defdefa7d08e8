#include "gateway/config/load_config.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>

#include "gateway/config/environment_settings.h"
#include "gateway/config/sections.h"
#include "gateway/config/yaml_document.h"

namespace brigada {
namespace {

/// The files' top levels while their sections are read.
class ConfigReading {
  public:
    ConfigReading(const Environ& outside, ConfigNotes& notes)
        : notes_(notes), environment_([this, &outside](std::string_view name) {
              const auto own = variables_.find(std::string(name));
              return own == variables_.end() ? outside(name) : std::optional(own->second);
          }) {}
    ConfigReading(const ConfigReading&) = delete;
    ConfigReading& operator=(const ConfigReading&) = delete;

    const Environ& environment() const { return environment_; }

    void read(const std::vector<ConfigFile>& files) {
        for (const ConfigFile& file : files)
            open(file);
        read_variables();
        read_section("credential_list", read_credential_list);
        read_section("litellm_settings", read_litellm_settings);
        read_section("general_settings", read_general_settings);
        read_section("router_settings", read_router_settings);  // outranks litellm_settings
        read_section("brigada", read_brigada_settings);         // outranks general_settings
        read_section("model_list", read_model_list);
        finish();
    }

    ConfigDraft& draft() { return draft_; }

  private:
    void open(const ConfigFile& file) {
        scopes_.push_back({file.path.string(), environment_, notes_});
        const YamlValue root(scopes_.back(), file.root, "");
        if (!root.is_null()) tops_.emplace_back(root);
    }

    /// First of all, since any text may be os.environ/ one of these.
    void read_variables() {
        for (YamlFields& top : tops_) {
            const auto section = top.find("environment_variables");
            if (!section) continue;
            for (const auto& [name, value] : section->entries())
                if (auto text = value.text()) variables_[name] = *std::move(text);
        }
    }

    void read_section(std::string_view name, SectionReader reader) {
        for (YamlFields& top : tops_)
            if (const auto section = top.find(name)) reader(*section, draft_);
    }

    void finish() {
        for (YamlFields& top : tops_) {
            top.find("include");  // followed already
            top.unused({"callback_settings"}, "callbacks have no settings here");
            top.unused({"guardrails", "mcp_servers", "vector_store_registry", "search_tools",
                        "assistant_settings", "finetune_settings", "files_settings"},
                       "the front door serves models only");
            top.finish();
        }
    }

    ConfigNotes& notes_;
    std::map<std::string, std::string> variables_;
    Environ environment_;
    std::deque<YamlScope> scopes_;  // a deque: values point into it while it grows
    std::vector<YamlFields> tops_;
    ConfigDraft draft_{.environment = environment_};
};

// --- what only the whole can tell ---------------------------------------------------------------

bool is_served(const GatewayConfig& config, const std::string& model) {
    return std::ranges::count(config.router.aliases, model, &AliasSettings::name) > 0 ||
           std::ranges::any_of(config.deployments, [&](const Deployment& deployment) {
               return deployment.model_name == model || upstream_model_for(deployment, model);
           });
}

void check_mentions(const ConfigDraft& draft) {
    for (const ModelMention& mention : draft.mentions)
        if (!mention.model.empty() && !is_served(draft.config, mention.model))
            mention.where.warn(concat("model \"", mention.model, "\" is in no model_list"));
}

void fill_general(const Path& path, const Environ& environment, GatewayConfig& config,
                  ConfigNotes& notes) {
    GeneralSettings& general = config.general;
    if (general.master_key.empty())
        general.master_key = Secret(environment("LITELLM_MASTER_KEY").value_or(""));
    if (general.database_url.empty())
        general.database_url = Secret(environment("DATABASE_URL").value_or(""));
    read_environment_settings(environment, config, notes);
    if (general.master_key.empty())
        notes.warn(concat(path.string(),
                          ": no general_settings.master_key, and LITELLM_MASTER_KEY "
                          "is not set: nobody can administer"));
    if (config.deployments.empty())
        notes.warn(concat(path.string(), ": no model_list: no model is served"));
}

}  // namespace

Result<LoadedConfig> load_config(const Path& path, const Environ& environment,
                                 const ConfigFileReader& read) {
    ConfigNotes notes;
    ConfigReading reading(environment, notes);
    reading.read(read_config_files(path, read, reading.environment(), notes));
    check_mentions(reading.draft());
    if (notes.has_errors()) return notes.summary();
    GatewayConfig& config = reading.draft().config;
    fill_general(path, reading.environment(), config, notes);
    return LoadedConfig{std::move(config), notes.warnings()};
}

Result<LoadedConfig> load_config(const Path& path, const Environ& environment) {
    return load_config(path, environment,
                       [](const Path& file) { return read_file(file, kMaxConfigBytes); });
}

std::optional<std::string> process_environment(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace brigada
