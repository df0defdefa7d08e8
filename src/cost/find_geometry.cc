// find_geometry: the reader in front of the others: a name of the catalogue, a config.json, a GGUF
// file or a folder, by whichever fits. The only file of cost that opens files.
#include <filesystem>

#include "base/concat.h"
#include "base/file.h"
#include "base/joined.h"
#include "cost/geometry.h"
#include "cost/known_models.h"
#include "cost/read/config_fields.h"
#include "cost/read/tensor_sums.h"
#include "cost/similar_names.h"
#include "model/gguf.h"
#include "model/safetensors.h"
#include "model/shown.h"

namespace brigada {

namespace {

constexpr size_t kMostConfigBytes = 16 << 20;

Result<Json> read_config(const Path& path) {
    TRY(const std::string text, read_file(path, kMostConfigBytes));
    return parse_config(text, path.string());
}

/// A name to show for a file that does not say one: that of the folder it lies in.
std::string name_of(const Path& path) {
    const Path absolute = std::filesystem::weakly_canonical(path);
    return absolute.filename() == "config.json" ? absolute.parent_path().filename().string()
                                                : absolute.stem().string();
}

Result<ModelGeometry> from_config(const Path& path) {
    TRY(const Json config, read_config(path));
    TRY(ModelGeometry geometry, geometry_from_json(config, path.string()));
    if (geometry.name.empty()) geometry.name = name_of(path);
    return geometry;
}

Result<ModelGeometry> from_gguf(const Path& path) {
    TRY(const GgufFile file, GgufFile::open(path));
    return geometry_from_gguf(file);
}

// --- folders ------------------------------------------------------------------------------------

/// The layers that the file counts, those that predict further tokens not among them.
Result<uint32_t> layers_of(const Json& config, std::string_view what) {
    const ConfigFields outer(config, what);
    TRY(const ConfigFields text, outer.inside("text_config"));
    return (text.object().empty() ? outer : text).needed({"num_hidden_layers"}, kMostLayers);
}

Result<TensorSums> measure_folder(const Path& folder, uint32_t layers) {
    TensorSums sums;
    sums.layers.resize(layers);
    TRY(const auto files, open_safetensors(folder));
    for (const SafetensorsFile& file : files) {
        for (const Tensor& tensor : file.tensors())
            add_hugging_face_tensor(sums, tensor.name, tensor.data.size());
        for (const UnreadTensor& tensor : file.unread())
            add_hugging_face_tensor(sums, tensor.name, tensor.bytes);
    }
    return sums;
}

double bytes_each(uint64_t bytes, uint64_t params, double otherwise) {
    return bytes == 0 || params == 0 ? otherwise
                                     : static_cast<double>(bytes) / static_cast<double>(params);
}

/// Spreads the bytes of each kind of matrix over the parameters that the config says there are.
void take_measured_bytes(const TensorSums& sums, ModelGeometry& g) {
    TensorSum attention, dense, experts;
    for (const LayerSums& layer : sums.layers) {
        attention.bytes += layer.attention.bytes;
        dense.bytes += layer.dense.bytes;
        experts.bytes += layer.experts.bytes;
    }
    for (const LayerGeometry& layer : g.layers) {
        attention.params += layer.attention_params;
        dense.params += layer.dense_params;
        experts.params += layer.expert_params * layer.experts;
    }
    for (LayerGeometry& layer : g.layers) {
        layer.attention_param_bytes =
            bytes_each(attention.bytes, attention.params, layer.attention_param_bytes);
        layer.dense_param_bytes = bytes_each(dense.bytes, dense.params, layer.dense_param_bytes);
        layer.expert_param_bytes =
            bytes_each(experts.bytes, experts.params, layer.expert_param_bytes);
    }
    g.embedding_param_bytes =
        bytes_each(sums.embedding.bytes, g.embedding_params, g.embedding_param_bytes);
    g.other_param_bytes = bytes_each(sums.other.bytes, g.other_params, g.other_param_bytes);
}

/// A folder as the hub has it: the config, and if the weights are there what they really take.
Result<ModelGeometry> from_folder(const Path& folder) {
    const Path config_path = folder / "config.json";
    TRY(ModelGeometry geometry, from_config(config_path));
    const bool has_weights = std::filesystem::exists(folder / "model.safetensors") ||
                             std::filesystem::exists(folder / "model.safetensors.index.json");
    if (!has_weights) {
        geometry.assumed.push_back(
            "no weights in the folder: their bytes are those that "
            "config.json implies");
        return geometry;
    }
    TRY(const Json config, read_config(config_path));
    TRY(const uint32_t layers, layers_of(config, config_path.string()));
    TRY(const TensorSums sums, measure_folder(folder, layers));
    take_measured_bytes(sums, geometry);
    return geometry;
}

/// A path says so by its ending, or by beginning at the root or at a dot.
bool looks_like_path(const std::string& name) {
    return name.starts_with('/') || name.starts_with('.') || name.ends_with(".json") ||
           name.ends_with(".gguf");
}

Error not_found(const std::string& name) {
    if (looks_like_path(name))
        return {Code::not_found, concat("no file or folder is called ", shown(name))};
    const std::vector<std::string> known = known_models();
    const auto similar = similar_names(name, known);
    return {Code::not_found,
            concat("no model is called ", shown(name), ", and no file or folder is; ",
                   similar.empty() ? concat("known are ", joined(known))
                                   : concat("the nearest are ", joined(similar)),
                   "; a config.json, a .gguf file or a folder with either does as well")};
}

}  // namespace

Result<ModelGeometry> find_geometry(const std::string& name_or_path) {
    std::error_code unreadable;
    const Path path(name_or_path);
    if (std::filesystem::is_directory(path, unreadable)) return from_folder(path);
    if (std::filesystem::is_regular_file(path, unreadable))
        return path.extension() == ".gguf" ? from_gguf(path) : from_config(path);
    TRY(auto known, known_geometry(name_or_path));
    if (known) return *std::move(known);
    return not_found(name_or_path);
}

}  // namespace brigada
