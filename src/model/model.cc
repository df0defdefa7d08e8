#include "model/model.h"

#include <algorithm>

#include "base/check.h"
#include "base/concat.h"
#include "model/open_model.h"
#include "model/shown.h"
#include "model/weight_names.h"
#include "tokens/tokenizer.h"

namespace brigada {

namespace {

const Tensor* find_in(std::span<const Tensor> sorted, std::string_view name) {
    const auto at = std::ranges::lower_bound(sorted, name, {}, &Tensor::name);
    return at != sorted.end() && at->name == name ? &*at : nullptr;
}

/// The tensor of this name, its shape held against the one needed.
Result<Tensor> take_needed(std::span<const Tensor> sorted, const NeededWeight& needed,
                           std::string_view what) {
    const Tensor* tensor = find_in(sorted, needed.name);
    if (!tensor)
        return Error{Code::corrupt, concat(what, ": has no tensor ", needed.name, " of shape ",
                                           shape_text(needed.shape), ", which its config needs")};
    if (tensor->shape != needed.shape)
        return Error{Code::corrupt, concat(what, ": tensor ", needed.name, " has shape ",
                                           shape_text(tensor->shape), "; its config needs ",
                                           shape_text(needed.shape))};
    return *tensor;
}

/// Tensors that may lie in a file beside the weights: RoPE factors are in the config, an output
/// matrix beside tied embeddings is a copy of them.
bool is_ignorable(std::string_view name, const ModelConfig& config) {
    return name.starts_with("rope_f") || (config.tied_embeddings && name == "output.weight");
}

/// Nothing may be left over: a weight that we do not use would mean another function than ours.
Result<void> refuse_leftovers(std::span<const Tensor> sorted, std::span<const Tensor> kept,
                              const ModelConfig& config, std::string_view what) {
    for (const Tensor& tensor : sorted) {
        if (find_in(kept, tensor.name) || is_ignorable(tensor.name, config)) continue;
        return Error{Code::unsupported,
                     concat(what, ": tensor ", shown(tensor.name), " is not part of ", "a ",
                            to_string(config.architecture), " model as it runs here")};
    }
    return {};
}

Result<void> check_ids(const Model::Parts& parts) {
    if (parts.tokenizer->size() > parts.config.vocab)
        return Error{Code::corrupt,
                     concat(parts.path.string(), ": its tokenizer has ", parts.tokenizer->size(),
                            " ids, its embedding ", parts.config.vocab, " rows")};
    for (const TokenId id : parts.end_of_generation)
        if (raw(id) >= parts.config.vocab)
            return Error{Code::corrupt,
                         concat(parts.path.string(), ": end-of-generation id ", raw(id),
                                " is not below the vocabulary's ", parts.config.vocab)};
    return {};
}

}  // namespace

Model::Model(Parts parts) : parts_(std::move(parts)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Result<Model> Model::make(Parts parts) {
    const std::string what = parts.path.string();
    TRY(std::vector<Tensor> tensors, split_fused(std::move(parts.tensors), parts.config));
    std::ranges::sort(tensors, {}, &Tensor::name);
    if (const auto twin = std::ranges::adjacent_find(tensors, {}, &Tensor::name);
        twin != tensors.end())
        return Error{Code::corrupt, concat(what, ": tensor ", shown(twin->name), " occurs twice")};

    parts.tensors.clear();
    for (const NeededWeight& needed : needed_weights(parts.config)) {
        TRY(Tensor tensor, take_needed(tensors, needed, what));
        parts.tensors.push_back(std::move(tensor));
    }
    std::ranges::sort(parts.tensors, {}, &Tensor::name);
    TRY(refuse_leftovers(tensors, parts.tensors, parts.config, what));

    TRY(check_ids(parts));
    std::ranges::sort(parts.end_of_generation);
    const auto repeated = std::ranges::unique(parts.end_of_generation);
    parts.end_of_generation.erase(repeated.begin(), repeated.end());
    return Model(std::move(parts));
}

const Tensor* Model::find(std::string_view name) const {
    return find_in(parts_.tensors, name);
}

const Tensor& Model::tensor(std::string_view name) const {
    const Tensor* found = find(name);
    CHECK(found != nullptr, name);
    return *found;
}

const Tensor& Model::output() const {
    return tensor(config().tied_embeddings ? "token_embd.weight" : "output.weight");
}

std::string_view Model::chat_template(std::string_view name) const {
    for (const ChatTemplateSource& t : parts_.templates)
        if (t.name == name) return t.source;
    return {};
}

Result<Model> open_model(const Path& path) {
    std::error_code failed;
    if (std::filesystem::is_directory(path, failed)) return open_hugging_face_model(path);
    if (std::filesystem::exists(path, failed)) return open_gguf_model(path);
    return Error{Code::not_found,
                 concat(path.string(), ": no such model; a .gguf file, or a directory ",
                        "with config.json and safetensors, is needed")};
}

}  // namespace brigada
