#include "cost/known_models.h"

#include <array>
#include <cctype>

#include "base/check.h"
#include "base/concat.h"
#include "cost/similar_names.h"

namespace brigada {

namespace {

/// Made by tools/make_model_catalogue.py.
constexpr char kModels[] = {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
#embed "known_models.json" suffix(, 0)
#pragma clang diagnostic pop
};

const Json& catalogue() {
    static const Json kCatalogue = [] {
        Result<Json> json = parse_json(kModels, "known_models.json");
        CHECK(json.ok() && json->is_object());
        return *std::move(json);
    }();
    return kCatalogue;
}

/// "Qwen/Qwen3-32B-AWQ" is "qwen3-32b-awq" here.
std::string without_organisation(const std::string& name) {
    const size_t slash = name.rfind('/');
    std::string out = slash == std::string::npos ? name : name.substr(slash + 1);
    for (char& c : out)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// The name in the catalogue; empty: none.
std::string known_name(const std::string& typed) {
    const std::string bare = bare_name(typed);
    for (const auto& [name, config] : catalogue().items())
        if (bare_name(name) == bare) return name;
    return {};
}

/// How models are quantised that say so at the end of their name, and only there.
struct Suffix {
    std::string_view text;
    const char* quantisation;
};

constexpr std::array kSuffixes = {
    Suffix{"-fp8", R"({"quant_method": "fbgemm_fp8"})"},
    Suffix{"-nvfp4", R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})"},
    Suffix{"-int4", R"({"quant_method": "gptq", "bits": 4, "group_size": 128})"},
    Suffix{"-awq", R"({"quant_method": "awq", "bits": 4, "group_size": 128})"},
    Suffix{"-gptq", R"({"quant_method": "gptq", "bits": 4, "group_size": 128})"},
};

Result<ModelGeometry> geometry_of(const std::string& name, const Json& config) {
    TRY(ModelGeometry geometry, geometry_from_json(config, name));
    geometry.name = name;
    return geometry;
}

Result<std::optional<ModelGeometry>> quantised_geometry(const std::string& typed) {
    for (const Suffix& suffix : kSuffixes) {
        if (!typed.ends_with(suffix.text)) continue;
        const std::string base = known_name(typed.substr(0, typed.size() - suffix.text.size()));
        if (base.empty()) continue;
        Json config = catalogue().at(base);
        const bool already = config.contains("quantization_config") ||
                             (config.contains("text_config") &&
                              config.at("text_config").contains("quantization_config"));
        if (already) continue;
        TRY(config["quantization_config"], parse_json(suffix.quantisation, suffix.text));
        TRY(ModelGeometry geometry, geometry_of(base + std::string(suffix.text), config));
        geometry.assumed.push_back(
            concat("all matrices but embeddings, output and routers are ", suffix.text.substr(1),
                   ": read the model's own config.json for what it leaves out"));
        return std::optional(std::move(geometry));
    }
    return std::optional<ModelGeometry>();
}

}  // namespace

Result<std::optional<ModelGeometry>> known_geometry(const std::string& name) {
    const std::string typed = without_organisation(name);
    const std::string known = known_name(typed);
    if (known.empty()) return quantised_geometry(typed);
    TRY(ModelGeometry geometry, geometry_of(known, catalogue().at(known)));
    return std::optional(std::move(geometry));
}

const Json& known_config(const std::string& name) {
    CHECK(catalogue().contains(name), name);
    return catalogue().at(name);
}

std::vector<std::string> known_models() {
    std::vector<std::string> out;
    for (const auto& [name, config] : catalogue().items())
        out.push_back(name);
    return out;
}

}  // namespace brigada
