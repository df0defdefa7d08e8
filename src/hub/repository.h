// Repository: what a Hugging Face compatible hub lists for a model, and which of it to fetch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hub/reference.h"

namespace brigada {

struct HubSettings {
    std::string endpoint;  // "http://127.0.0.1:8000"; empty: no hub
    std::string token;

    /// From HF_ENDPOINT and HF_TOKEN.
    static HubSettings from_environment();
};

struct RepositoryFile {
    std::string path;
    uint64_t bytes = 0;
    std::string sha256 = {};  // empty where the hub lists none
};

/// Which files make the model, and which one to open: empty for the folder.
struct Selection {
    std::string open;
    std::vector<RepositoryFile> files;
};

/// Where a file of a repository is fetched from.
std::string file_url(const HubSettings& hub, const HubReference& reference, std::string_view file);

/// The files at the repository's top, from the hub's list. Errors of http_get_text; ::corrupt when
/// the answer is not such a list.
Result<std::vector<RepositoryFile>> list_repository(const HubSettings& hub,
                                                    const HubReference& reference);

/// Reads the hub's answer. Names that could leave a folder are left out.
Result<std::vector<RepositoryFile>> parse_repository_list(std::string_view json,
                                                          std::string_view what);

/// The only GGUF file; without one, the safetensors with config and tokenizer.
/// Error::invalid_argument lists the GGUF files when there are several; ::unsupported when there is
/// neither.
Result<Selection> select_files(const std::vector<RepositoryFile>& files,
                               const HubReference& reference);

}  // namespace brigada
