#include "gateway/count/prompt_model.h"

#include <algorithm>
#include <utility>

#include "base/concat.h"
#include "base/json.h"
#include "model/gguf.h"
#include "model/gguf_vocabulary.h"
#include "model/optional_file.h"

namespace brigada {

namespace {

constexpr size_t kMostTokenizerBytes = 256 << 20;  // Gemma's tokenizer.json has 33 MB
constexpr size_t kMostTemplateBytes = 1 << 20;

Result<Tokenizer> named(Result<Tokenizer> opened, const Path& path) {
    if (!opened.ok()) return std::move(opened).error().in(path.string());
    return opened;
}

/// The source of "default" among a list of named ones.
std::string default_template(const Json& list) {
    for (const Json& entry : list)
        if (entry.is_object() && entry.value("name", Json()) == "default" &&
            entry.value("template", Json()).is_string())
            return entry["template"];
    return "";
}

std::string template_in(const Json& config) {
    const auto found = config.find("chat_template");
    if (found == config.end()) return "";
    if (found->is_string()) return *found;
    return found->is_array() ? default_template(*found) : "";
}

/// A token of tokenizer_config.json: a text, or an object that has it.
std::string token_text(const Json& config, const char* name) {
    const auto found = config.find(name);
    if (found == config.end()) return "";
    const Json text = found->is_object() ? found->value("content", Json()) : *found;
    return text.is_string() ? text.get<std::string>() : "";
}

/// Its own chat_template.jinja outranks what tokenizer_config.json says.
Result<PromptModel> open_json(const Path& path, std::string source) {
    const Path folder = path.parent_path();
    TRY(const std::string vocabulary, read_file(path, kMostTokenizerBytes));
    const Path config_path = folder / "tokenizer_config.json";
    TRY(const std::string config_text, read_optional(config_path, kMostTokenizerBytes));
    Json config = Json::object();
    if (!config_text.empty()) {
        TRY(config, parse_json(config_text, config_path.string()));
    }
    if (source.empty()) {
        TRY(source, read_optional(folder / "chat_template.jinja", kMostTemplateBytes));
    }
    if (source.empty()) source = template_in(config);
    TRY(Tokenizer tokenizer, named(Tokenizer::from_json(vocabulary, config_text), path));
    PromptModel out{.tokenizer = std::move(tokenizer), .template_source = std::move(source)};
    if (out.template_source.empty()) return out;
    TRY(out.chat_template, ChatTemplate::parse(out.template_source, token_text(config, "bos_token"),
                                               token_text(config, "eos_token")));
    return out;
}

std::string token_name(const Tokenizer& tokenizer, std::optional<TokenId> id) {
    return id ? std::string(tokenizer.bytes(*id)) : "";
}

Result<PromptModel> open_gguf(const Path& path, std::string source) {
    TRY(const GgufFile file, GgufFile::open(path));
    TRY(VocabularySpec vocabulary, vocabulary_from_gguf(file));
    TRY(Tokenizer tokenizer, named(Tokenizer::from_spec(std::move(vocabulary)), path));
    if (source.empty()) {
        TRY(std::vector<ChatTemplateSource> templates, templates_from_gguf(file));
        const auto found = std::ranges::find(templates, "default", &ChatTemplateSource::name);
        if (found != templates.end()) source = std::move(found->source);
    }
    PromptModel out{.tokenizer = std::move(tokenizer), .template_source = std::move(source)};
    if (out.template_source.empty()) return out;
    TRY(out.chat_template,
        ChatTemplate::parse(out.template_source, token_name(out.tokenizer, out.tokenizer.bos()),
                            token_name(out.tokenizer, out.tokenizer.eos())));
    return out;
}

}  // namespace

Result<PromptModel> open_prompt_model(const PromptModelPlace& place) {
    const Path& path = place.path;
    std::error_code failed;
    const bool is_folder = std::filesystem::is_directory(path, failed);
    TRY(PromptModel out,
        path.extension() == ".gguf" && !is_folder
            ? open_gguf(path, place.chat_template)
            : open_json(is_folder ? path / "tokenizer.json" : path, place.chat_template));
    if (!out.chat_template && place.chatml_if_none) out.chat_template = ChatTemplate::chatml();
    return out;
}

}  // namespace brigada
