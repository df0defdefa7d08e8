#include "hub/cache.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/json.h"
#include "hub/disk.h"

namespace brigada {

namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestManifest = 1 << 20;
constexpr std::string_view kManifestSuffix = ".manifest";

std::optional<std::string> text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
}

Json to_json(const Manifest& manifest) {
    Json files = Json::array();
    for (const PulledFile& file : manifest.files)
        files.push_back({{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}});
    return {{"source", manifest.source}, {"open", manifest.open}, {"files", std::move(files)}};
}

std::optional<PulledFile> pulled_file(const Json& value) {
    if (!value.is_object()) return std::nullopt;
    const auto path = text_of(value, "path");
    const auto sha256 = text_of(value, "sha256");
    const auto bytes = value.find("bytes");
    if (!path || !is_safe_relative_path(*path) || !sha256) return std::nullopt;
    if (bytes == value.end() || !bytes->is_number_unsigned()) return std::nullopt;
    return PulledFile{*path, bytes->get<uint64_t>(), *sha256};
}

/// Nothing when the file is absent or is not a manifest: the model is then pulled anew.
std::optional<Manifest> read_manifest(const Path& path) {
    Result<std::string> text = read_file(path, kLargestManifest);
    if (!text) return std::nullopt;
    Result<Json> value = parse_json(*text, path.string());
    if (!value || !value->is_object()) return std::nullopt;

    Manifest manifest;
    const auto source = text_of(*value, "source");
    const auto open = text_of(*value, "open");
    const auto files = value->find("files");
    if (!source || !open || files == value->end() || !files->is_array()) return std::nullopt;
    if (!open->empty() && !is_safe_relative_path(*open)) return std::nullopt;
    for (const Json& entry : *files) {
        auto file = pulled_file(entry);
        if (!file) return std::nullopt;
        manifest.files.push_back(*std::move(file));
    }
    manifest.source = *source;
    manifest.open = *open;
    return manifest;
}

bool is_whole(const Manifest& manifest, const Path& folder) {
    return !manifest.files.empty() &&
           std::ranges::all_of(manifest.files, [&](const PulledFile& file) {
               std::error_code failed;
               const uintmax_t size = fs::file_size(folder / file.path, failed);
               return !failed && size == file.bytes;
           });
}

std::optional<Path> environment_path(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return Path(value);
}

Result<Path> existing(const Path& path) {
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path;
    return Error{Code::not_found, concat(path.string(), ": no such file or folder")};
}

}  // namespace

uint64_t Manifest::bytes() const {
    uint64_t total = 0;
    for (const PulledFile& file : files)
        total += file.bytes;
    return total;
}

Result<Cache> Cache::from_environment() {
    std::optional<Path> root = environment_path("BRIGADA_CACHE");
    if (!root) {
        if (auto xdg = environment_path("XDG_CACHE_HOME")) root = *xdg / "brigada";
    }
    if (!root) {
        if (auto home = environment_path("HOME")) root = *home / ".cache" / "brigada";
    }
    if (!root)
        return Error{Code::invalid_argument,
                     "no place for models: set BRIGADA_CACHE, XDG_CACHE_HOME or HOME"};
    if (!root->is_absolute())
        return Error{Code::invalid_argument,
                     concat("the cache '", root->string(), "' is not an absolute path")};
    return Cache(*root);
}

Path Cache::manifest_file(std::string_view key) const {
    return models() / concat(key, kManifestSuffix);
}

Path Cache::lock_file(std::string_view key) const {
    return models() / concat(key, ".lock");
}

std::optional<CachedModel> Cache::find(std::string_view key) const {
    auto manifest = read_manifest(manifest_file(key));
    if (!manifest || !is_whole(*manifest, folder(key))) return std::nullopt;
    const Path path = manifest->open.empty() ? folder(key) : folder(key) / manifest->open;
    return CachedModel{std::string(key), path, *std::move(manifest)};
}

std::vector<CachedModel> Cache::list() const {
    std::vector<CachedModel> out;
    std::error_code failed;
    fs::recursive_directory_iterator entries(models(), failed);
    for (; !failed && entries != fs::recursive_directory_iterator(); entries.increment(failed)) {
        std::string key = entries->path().lexically_relative(models()).string();
        if (!key.ends_with(kManifestSuffix)) continue;
        key.resize(key.size() - kManifestSuffix.size());
        if (auto model = find(key)) out.push_back(*std::move(model));
    }
    std::ranges::sort(out, {}, &CachedModel::name);
    return out;
}

Result<void> Cache::publish(std::string_view key, const Manifest& manifest) const {
    return write_durably(manifest_file(key), to_json(manifest).dump(2) + "\n");
}

Result<void> Cache::remove(std::string_view key) const {
    const auto manifest = read_manifest(manifest_file(key));
    if (!manifest)
        return Error{Code::not_found,
                     concat("no pulled model '", key, "'; brigada model ls lists them")};
    std::vector<Path> paths{manifest_file(key), lock_file(key)};
    for (const PulledFile& file : manifest->files)
        paths.push_back(folder(key) / file.path);
    for (const Path& path : paths) {
        std::error_code failed;
        fs::remove(path, failed);
        if (failed) return disk_error(path, "cannot remove", failed.value());
    }
    std::error_code not_empty;  // another model of the same repository, or an unfinished pull
    fs::remove(folder(key), not_empty);
    return {};
}

Result<Path> resolve_model(const Cache& cache, std::string_view name) {
    TRY(const ModelReference reference, parse_model_reference(name));
    if (const auto* path = std::get_if<Path>(&reference)) return existing(*path);

    const auto* known = std::get_if<const CatalogueModel*>(&reference);
    const std::string key =
        known ? cache_key(**known) : cache_key(std::get<HubReference>(reference));
    if (auto model = cache.find(key)) return model->path;
    return Error{Code::not_found,
                 concat("model '", name, "' is not on this machine yet; get it with: ",
                        "brigada model pull ", name)};
}

}  // namespace brigada
