// ModelReference: what a user wrote where a model is wanted, understood: a name of the catalogue, a
// file or repository on a hub, or a path on this machine.
//
//   smollm2                     the catalogue
//   hf:org/repo/file.gguf       one file of a hub's repository; the hf: may be left out
//   org/repo                    a repository: its only GGUF file, or its safetensors with what they
//   need org/repo@revision/file      as of a branch, tag or commit; main unless said
//   ./model.gguf, /models/dir   a path: anything that exists, or begins with / . or ~
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/file.h"
#include "base/result.h"
#include "hub/catalogue.h"

namespace brigada {

struct HubReference {
    std::string repo;  // "org/name"
    std::string revision = "main";
    std::string file;  // inside the repository, with folders; empty: the whole model

    friend bool operator==(const HubReference&, const HubReference&) = default;
};

using ModelReference = std::variant<const CatalogueModel*, HubReference, Path>;

/// Error::not_found when it is none of these, naming what would have been; Error::invalid_argument
/// for a hub's name with characters that no hub has, so that a name never leaves the cache's
/// folder.
Result<ModelReference> parse_model_reference(std::string_view text);

/// A path inside the cache, unique to the model: "smollm2", "org/name", "org/name/file.gguf". A
/// revision other than main is part of it.
std::string cache_key(const CatalogueModel& model);
std::string cache_key(const HubReference& reference);

/// True for a relative path of plain components: no "..", no empty ones, no control characters.
/// What a hub lists is held to it before a file is named after it.
bool is_safe_relative_path(std::string_view path);

}  // namespace brigada
