#include "tokens/tokenizer_config.h"

#include <simdjson.h>

#include "base/concat.h"

namespace brigada {

namespace {

using simdjson::ondemand::json_type;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

constexpr size_t kMostBytes = size_t{64} << 20;

Error wrong(std::string_view key, std::string_view wanted) {
    return {Code::corrupt, concat("tokenizer_config.json: ", key, " must be ", wanted)};
}

/// The member and its type, unless it is absent or null. On demand, because this file may hold
/// numbers that no parser's integers hold: "model_max_length": 1000000000000000019884624838656.
struct Member {
    value at;
    json_type type;
};

std::optional<Member> member(object& from, std::string_view key) {
    Member out;
    if (from.find_field_unordered(key).get(out.at) || out.at.type().get(out.type))
        return std::nullopt;
    if (out.type == json_type::null) return std::nullopt;
    return out;
}

/// "bos_token": "<s>" or {"content": "<s>", ...}
Result<void> read_token(object& config, std::string_view key, std::optional<std::string>& out) {
    auto found = member(config, key);
    if (!found) return {};
    object wrapped;
    std::string_view text;
    const bool is_object = found->type == json_type::object;
    if (is_object ? found->at.get_object().get(wrapped) || wrapped["content"].get_string().get(text)
                  : found->at.get_string().get(text))
        return wrong(key, "a string or an object with content");
    out = std::string(text);
    return {};
}

Result<void> read_flag(object& config, std::string_view key, std::optional<bool>& out) {
    auto found = member(config, key);
    if (!found) return {};
    bool flag;
    if (found->at.get_bool().get(flag)) return wrong(key, "true or false");
    out = flag;
    return {};
}

}  // namespace

Result<TokenizerConfig> read_tokenizer_config(std::string_view json) {
    if (json.size() > kMostBytes)
        return Error{Code::too_large, concat("tokenizer_config.json: ", json.size(),
                                             " bytes; at most ", kMostBytes, " are read")};
    const simdjson::padded_string padded(json);
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    object config;
    simdjson::error_code error = parser.iterate(padded).get(document);
    if (!error) error = document.get_object().get(config);
    if (error)
        return Error{Code::invalid_argument, concat("tokenizer_config.json: no JSON object: ",
                                                    simdjson::error_message(error))};
    TokenizerConfig out;
    TRY(read_token(config, "bos_token", out.bos));
    TRY(read_token(config, "eos_token", out.eos));
    TRY(read_token(config, "unk_token", out.unk));
    TRY(read_token(config, "pad_token", out.pad));
    TRY(read_flag(config, "add_bos_token", out.add_bos));
    TRY(read_flag(config, "add_eos_token", out.add_eos));
    return out;
}

}  // namespace brigada
