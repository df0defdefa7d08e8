// open_model for a directory as Hugging Face lays it out.
#include <algorithm>
#include <utility>

#include "base/concat.h"
#include "base/json.h"
#include "model/open_model.h"
#include "model/optional_file.h"
#include "model/safetensors.h"
#include "model/shown.h"
#include "model/weight_names.h"
#include "tokens/tokenizer.h"

namespace brigada {

namespace {

constexpr size_t kMaxConfig = 1 << 20;       // bytes of config.json and its like
constexpr size_t kMaxTokenizer = 256 << 20;  // Gemma's tokenizer.json has 33 MB

/// A JSON object; an empty one when there is no such file.
Result<Json> read_optional_object(const Path& path, size_t max_bytes) {
    TRY(std::string text, read_optional(path, max_bytes));
    if (text.empty()) return Json::object();
    TRY(Json json, parse_json(text, path.string()));
    if (!json.is_object())
        return Error{Code::corrupt,
                     concat(path.string(), ": is ", json.type_name(), "; an object is needed")};
    return json;
}

// --- weights ------------------------------------------------------------------------------------

/// Refuses a text weight stored in a type that is not read.
Result<void> refuse_unread(const SafetensorsFile& file) {
    for (const UnreadTensor& tensor : file.unread()) {
        const auto name = name_from_hugging_face(tensor.name);
        if (name && *name != tensor.name)
            return Error{
                Code::unsupported,
                concat(file.name(), ": tensor ", shown(tensor.name), " is stored as ",
                       shown(tensor.dtype), ", which is not read here; F32, F16 and BF16 are")};
    }
    return {};
}

Result<std::vector<Tensor>> text_tensors(std::span<const SafetensorsFile> files) {
    std::vector<Tensor> out;
    for (const SafetensorsFile& file : files) {
        TRY(refuse_unread(file));
        for (const Tensor& tensor : file.tensors()) {
            auto name = name_from_hugging_face(tensor.name);
            if (!name) continue;
            out.push_back(tensor);
            out.back().name = *std::move(name);
        }
    }
    return out;
}

// --- templates and generation -------------------------------------------------------------------

/// tokenizer_config.json has one template, or a list of named ones; a file of its own overrides it.
Result<std::vector<ChatTemplateSource>> read_templates(const Path& directory, const Json& config) {
    std::vector<ChatTemplateSource> out;
    TRY(std::string own_file, read_optional(directory / "chat_template.jinja", kMaxConfig));
    if (!own_file.empty()) out.push_back({"default", std::move(own_file)});
    const auto found = config.find("chat_template");
    if (found == config.end()) return out;
    if (found->is_string() && out.empty()) out.push_back({"default", found->get<std::string>()});
    if (!found->is_array()) return out;
    for (const Json& entry : *found) {
        const auto text = [&entry](const char* key) {
            const auto at = entry.is_object() ? entry.find(key) : entry.end();
            return at != entry.end() && at->is_string() ? at->get<std::string>() : std::string();
        };
        const std::string name = text("name");
        if (name.empty())
            return Error{Code::corrupt, concat((directory / "tokenizer_config.json").string(),
                                               ": a chat_template without a name")};
        if (std::ranges::find(out, name, &ChatTemplateSource::name) == out.end())
            out.push_back({name, text("template")});
    }
    return out;
}

/// eos_token_id: absent, one id, or a list.
Result<void> add_ends(const Json& object, std::string_view what, std::vector<TokenId>& ends) {
    const auto found = object.find("eos_token_id");
    if (found == object.end() || found->is_null()) return {};
    const auto add = [&](const Json& id) -> Result<void> {
        if (!id.is_number_unsigned() || id.get<uint64_t>() > 0xffffffff)
            return Error{Code::corrupt, concat(what, ": eos_token_id has ", shown(dump_json(id)),
                                               ", which is no token id")};
        ends.push_back(TokenId{id.get<uint32_t>()});
        return {};
    };
    if (!found->is_array()) return add(*found);
    for (const Json& id : *found)
        TRY(add(id));
    return {};
}

Result<GenerationDefaults> read_defaults(const Json& object, std::string_view what) {
    const auto number = [&](const char* key) -> Result<std::optional<float>> {
        const auto at = object.find(key);
        if (at == object.end() || at->is_null()) return std::optional<float>();
        if (!at->is_number())
            return Error{Code::corrupt,
                         concat(what, ": ", key, " is ", at->type_name(), "; a number is needed")};
        return std::optional(at->get<float>());
    };
    GenerationDefaults out;
    TRY(out.temperature, number("temperature"));
    TRY(out.top_p, number("top_p"));
    TRY(out.min_p, number("min_p"));
    TRY(out.repetition_penalty, number("repetition_penalty"));
    if (const auto at = object.find("top_k"); at != object.end() && at->is_number_unsigned())
        out.top_k = static_cast<uint32_t>(std::min<uint64_t>(at->get<uint64_t>(), 0xffffffff));
    if (const auto at = object.find("do_sample"); at != object.end() && at->is_boolean())
        out.do_sample = at->get<bool>();
    return out;
}

/// Templates, ends and defaults: what is told outside config.json and the weights.
Result<void> read_conventions(const Path& directory, const Json& config,
                              const Json& tokenizer_config, Model::Parts& parts) {
    const Path path = directory / "generation_config.json";
    TRY(Json generation, read_optional_object(path, kMaxConfig));
    TRY(parts.defaults, read_defaults(generation, path.string()));
    const auto ends = parts.tokenizer->ends();
    parts.end_of_generation.assign(ends.begin(), ends.end());
    if (const auto eos = parts.tokenizer->eos()) parts.end_of_generation.push_back(*eos);
    TRY(add_ends(generation, path.string(), parts.end_of_generation));
    TRY(add_ends(config, (directory / "config.json").string(), parts.end_of_generation));
    TRY(parts.templates, read_templates(directory, tokenizer_config));
    return {};
}

Result<std::unique_ptr<Tokenizer>> read_tokenizer(const Path& directory,
                                                  std::string_view config_text) {
    const Path path = directory / "tokenizer.json";
    TRY(std::string text, read_file(path, kMaxTokenizer));
    auto tokenizer = Tokenizer::from_json(text, config_text);
    if (!tokenizer.ok()) return std::move(tokenizer).error().in(path.string());
    return std::make_unique<Tokenizer>(*std::move(tokenizer));
}

}  // namespace

Result<Model> open_hugging_face_model(const Path& directory) {
    const Path config_path = directory / "config.json";
    TRY(std::string config_text, read_file(config_path, kMaxConfig));
    TRY(Json config, parse_json(config_text, config_path.string()));

    Model::Parts parts;
    parts.path = directory;
    TRY(parts.config, config_from_json(config, config_path.string()));
    if (parts.config.name.empty())
        parts.config.name =
            std::filesystem::absolute(directory / "").parent_path().filename().string();

    TRY(auto opened, open_safetensors(directory));
    auto files = std::make_shared<std::vector<SafetensorsFile>>(std::move(opened));
    TRY(parts.tensors, text_tensors(*files));
    parts.owner = std::move(files);

    const Path tokenizer_path = directory / "tokenizer_config.json";
    TRY(std::string tokenizer_text, read_optional(tokenizer_path, kMaxTokenizer));
    TRY(Json tokenizer_config, read_optional_object(tokenizer_path, kMaxTokenizer));
    TRY(parts.tokenizer, read_tokenizer(directory, tokenizer_text));
    TRY(read_conventions(directory, config, tokenizer_config, parts));
    return Model::make(std::move(parts));
}

}  // namespace brigada
