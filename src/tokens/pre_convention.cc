// What the values of a GGUF's tokenizer.ggml.pre stand for: patterns we know, and two habits of the
// model.
#include "base/concat.h"
#include "tokens/pre_tokenizer.h"

namespace brigada {

namespace {

struct PreName {
    std::string_view name;
    std::vector<std::string_view> patterns;  // names of known patterns, in order
    bool nfc = false;
    bool ignore_merges = false;
};

/// Values of tokenizer.ggml.pre for the patterns we know. Source: the names llama.cpp writes and
/// reads, and the tokenizer.json of the models they stand for.
const std::vector<PreName>& pre_names() {
    static const std::vector<PreName> kNames = {
        {"gpt-2", {"gpt2"}},
        {"mpt", {"gpt2"}},
        {"olmo", {"gpt2"}},
        {"jais", {"gpt2"}},
        {"phi-2", {"gpt2"}},
        {"smollm", {"digit", "gpt2"}},
        {"starcoder", {"digit", "gpt2"}},
        {"refact", {"digit", "gpt2"}},
        {"command-r", {"digit", "gpt2"}},
        {"codeshell", {"digit", "gpt2"}},
        {"exaone", {"digit", "gpt2"}},
        {"llama-bpe", {"llama3"}, false, true},
        {"llama3", {"llama3"}, false, true},
        {"llama-v3", {"llama3"}, false, true},
        {"falcon3", {"llama3"}, false, true},
        {"pixtral", {"llama3"}, false, true},
        {"dbrx", {"llama3"}},
        {"smaug-bpe", {"llama3"}},
        {"qwen2", {"qwen2"}, true},
        {"deepseek-r1-qwen", {"qwen2"}},
        {"megrez", {"qwen2"}},
        {"stablelm2", {"qwen2"}},
        {"qwen35", {"qwen3.5"}, true},
        {"gpt-4o", {"o200k"}, false, true},
        {"llama4", {"o200k"}, false, true},
        {"tekken", {"tekken"}, false, true},
        {"deepseek-v3", {"digits3", "kana_or_han", "deepseek3"}},
        {"hunyuan-dense", {"digits3", "kana_or_han", "deepseek3"}},
    };
    return kNames;
}

}  // namespace

Result<PreConvention> convention_of_pre(std::string_view pre) {
    std::string known;
    for (const PreName& entry : pre_names()) {
        known.append(known.empty() ? "" : ", ").append(entry.name);
        if (entry.name != pre) continue;
        PreConvention out{.splits = {}, .nfc = entry.nfc, .ignore_merges = entry.ignore_merges};
        for (const std::string_view pattern : entry.patterns)
            out.splits.push_back({.pattern = std::string(known_regex(pattern))});
        return out;
    }
    return Error{Code::unsupported,
                 concat("tokenizer.ggml.pre is \"", pre,
                        "\", a way to cut text that this build does not know; it knows ", known)};
}

}  // namespace brigada
