#include "hub/repository.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/json.h"
#include "hub/http_get.h"

namespace brigada {

namespace {

constexpr size_t kLargestList = 8 << 20;

constexpr std::array<std::string_view, 7> kBesideSafetensors{"config.json",
                                                             "generation_config.json",
                                                             "tokenizer.json",
                                                             "tokenizer_config.json",
                                                             "special_tokens_map.json",
                                                             "chat_template.jinja",
                                                             "model.safetensors.index.json"};

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string without_final_slash(std::string url) {
    while (url.ends_with('/'))
        url.pop_back();
    return url;
}

bool is_at_top(std::string_view path) {
    return path.find('/') == std::string_view::npos;
}

std::string string_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<RepositoryFile> repository_file(const Json& entry) {
    if (!entry.is_object() || string_at(entry, "type") != "file") return std::nullopt;
    RepositoryFile file{.path = string_at(entry, "path")};
    if (!is_safe_relative_path(file.path)) return std::nullopt;
    if (const auto size = entry.find("size"); size != entry.end() && size->is_number_unsigned())
        file.bytes = size->get<uint64_t>();
    if (const auto lfs = entry.find("lfs"); lfs != entry.end() && lfs->is_object())
        file.sha256 = string_at(*lfs, "oid");
    return file;
}

Selection only(const RepositoryFile& file) {
    return {file.path, {file}};
}

bool belongs_to_safetensors(const RepositoryFile& file) {
    return is_at_top(file.path) &&
           (file.path.ends_with(".safetensors") ||
            std::ranges::find(kBesideSafetensors, file.path) != kBesideSafetensors.end());
}

Error several(const std::vector<RepositoryFile>& ggufs, const HubReference& reference) {
    std::string names;
    for (const RepositoryFile& file : ggufs)
        names += "\n  " + reference.repo + "/" + file.path;
    return {Code::invalid_argument,
            concat(reference.repo, " has ", ggufs.size(), " GGUF files; name one:", names)};
}

}  // namespace

HubSettings HubSettings::from_environment() {
    return {without_final_slash(environment("HF_ENDPOINT")), environment("HF_TOKEN")};
}

std::string file_url(const HubSettings& hub, const HubReference& reference, std::string_view file) {
    return concat(hub.endpoint, "/", reference.repo, "/resolve/", reference.revision, "/", file);
}

Result<std::vector<RepositoryFile>> list_repository(const HubSettings& hub,
                                                    const HubReference& reference) {
    const std::string url = concat(hub.endpoint, "/api/models/", reference.repo, "/tree/",
                                   reference.revision, "?recursive=true");
    TRY(const std::string text, http_get_text({url, hub.token}, kLargestList));
    return parse_repository_list(text, url);
}

Result<std::vector<RepositoryFile>> parse_repository_list(std::string_view json,
                                                          std::string_view what) {
    Result<Json> list = parse_json(json, what);
    if (!list) return Error{Code::corrupt, list.error().message};
    if (!list->is_array())
        return Error{Code::corrupt, concat(what, ": not a list of files; is HF_ENDPOINT a hub?")};
    std::vector<RepositoryFile> files;
    for (const Json& entry : *list)
        if (auto file = repository_file(entry)) files.push_back(*std::move(file));
    return files;
}

Result<Selection> select_files(const std::vector<RepositoryFile>& files,
                               const HubReference& reference) {
    std::vector<RepositoryFile> ggufs;
    Selection safetensors;
    bool has_weights = false;
    for (const RepositoryFile& file : files) {
        if (file.path.ends_with(".gguf")) ggufs.push_back(file);
        if (belongs_to_safetensors(file)) safetensors.files.push_back(file);
        has_weights = has_weights || (is_at_top(file.path) && file.path.ends_with(".safetensors"));
    }
    if (ggufs.size() == 1) return only(ggufs.front());
    if (ggufs.size() > 1) return several(ggufs, reference);
    if (has_weights) return safetensors;
    return Error{Code::unsupported,
                 concat(reference.repo, ": neither a GGUF file nor safetensors in ", files.size(),
                        " files; brigada reads those two")};
}

}  // namespace brigada
