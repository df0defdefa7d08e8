// Cache: where pulled models live, and which of them are whole. A model counts only once its
// manifest stands, written last and in one rename; whatever lies there without one is leftovers.
//
//   <root>/models/<key>             the file's folder, or the repository's
//   <root>/models/<key>.manifest    what was pulled: files, sizes, checksums
//   <root>/models/<key>.lock        held while somebody pulls it
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "hub/reference.h"

namespace brigada {

struct PulledFile {
    std::string path;  // below the model's folder
    uint64_t bytes = 0;
    std::string sha256;
};

struct Manifest {
    std::string source;  // where it came from, for people
    std::string open;    // what to open, below the folder: a file; empty for the folder itself
    std::vector<PulledFile> files;

    uint64_t bytes() const;
};

struct CachedModel {
    std::string name;  // what to call it in `brigada serve NAME`
    Path path;         // what to open
    Manifest manifest;
};

class Cache {
  public:
    /// $BRIGADA_CACHE, else $XDG_CACHE_HOME/brigada, else ~/.cache/brigada. Error::invalid_argument
    /// when none of the three is set or the path is not absolute.
    static Result<Cache> from_environment();

    explicit Cache(Path root) : root_(std::move(root)) {}

    Path models() const { return root_ / "models"; }
    Path folder(std::string_view key) const { return models() / key; }
    Path manifest_file(std::string_view key) const;
    Path lock_file(std::string_view key) const;

    /// The model, if it was pulled and every file still has its size.
    std::optional<CachedModel> find(std::string_view key) const;

    /// Every model that find() would return, by name.
    std::vector<CachedModel> list() const;

    /// Makes the model count: manifest on disk, then in place. Error::io.
    Result<void> publish(std::string_view key, const Manifest& manifest) const;

    /// Removes a model: first what makes it count, then its bytes. Error::not_found, ::io.
    Result<void> remove(std::string_view key) const;

  private:
    Path root_;
};

/// What to open for what the user wrote: a path that exists, or a pulled model. Error::not_found
/// says how to get it.
Result<Path> resolve_model(const Cache& cache, std::string_view name);

}  // namespace brigada
