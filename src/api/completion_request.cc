#include "api/completion_request.h"

#include <utility>

namespace brigada {

namespace {

namespace dom = simdjson::dom;

Result<Tokens> read_token_ids(const JsonFields& fields, dom::array ids, uint32_t vocab) {
    Tokens out;
    for (dom::element element : ids) {
        TRY(TokenId id, read_token_id(fields, "prompt", element, vocab));
        out.push_back(id);
    }
    return out;
}

/// A list of texts, a list of lists of ids, or, when it begins with a number, one list of ids.
Result<std::vector<CompletionPrompt>> read_prompt_list(const JsonFields& fields, dom::array list,
                                                       uint32_t vocab) {
    std::vector<CompletionPrompt> out;
    if (list.size() > 0 && list.at(0).is_number()) {
        TRY(Tokens ids, read_token_ids(fields, list, vocab));
        out.emplace_back(std::move(ids));
        return out;
    }
    if (list.size() == 0 || list.size() > kMaxPrompts)
        return Error{Code::invalid_argument,
                     concat("prompt: ", list.size(), " prompts; 1 to ", kMaxPrompts, " are taken")};
    for (dom::element element : list) {
        std::string_view text;
        dom::array ids;
        if (element.get(text) == simdjson::SUCCESS) {
            out.emplace_back(std::string(text));
        } else if (element.get(ids) == simdjson::SUCCESS) {
            TRY(Tokens tokens, read_token_ids(fields, ids, vocab));
            out.emplace_back(std::move(tokens));
        } else {
            return fields.wrong("prompt", "strings or lists of token ids", element);
        }
    }
    return out;
}

Result<std::vector<CompletionPrompt>> read_prompts(const JsonFields& fields, uint32_t vocab) {
    const auto prompt = fields.find("prompt");
    if (!prompt) return Error{Code::invalid_argument, "prompt: is missing"};
    std::string_view text;
    if (prompt->get(text) == simdjson::SUCCESS)
        return std::vector<CompletionPrompt>{std::string(text)};
    dom::array list;
    if (prompt->get(list) == simdjson::SUCCESS) return read_prompt_list(fields, list, vocab);
    return fields.wrong("prompt", "a string, a list of strings or token ids", *prompt);
}

Result<void> refuse_unsupported(const JsonFields& fields, uint32_t choices) {
    TRY(auto suffix, fields.text("suffix"));
    if (suffix && !suffix->empty())
        return Error{Code::unsupported, "suffix: this server does not fill in the middle"};
    TRY(auto best_of, fields.integer("best_of", 1, 1 << 20));
    if (best_of && *best_of != choices)
        return Error{Code::unsupported, concat("best_of: must equal n (", choices,
                                               ") or be left out; got ", *best_of)};
    return {};
}

}  // namespace

Result<CompletionRequest> read_completion_request(std::string_view body,
                                                  const SamplingDefaults& defaults,
                                                  const GenerationLimits& limits) {
    dom::parser parser;
    TRY(dom::object object, parse_body(parser, body));
    const JsonFields fields(object);
    CompletionRequest out;
    TRY(auto model, fields.text("model"));
    out.model = std::move(model).value_or("");
    TRY(out.prompts, read_prompts(fields, limits.vocab));
    TRY(out.options, read_generation_options(fields, defaults, limits));
    TRY(refuse_unsupported(fields, out.options.choices));
    TRY(auto echo, fields.boolean("echo"));
    out.echo = echo.value_or(false);
    TRY(auto top, fields.integer("logprobs", 0, kMaxTopLogprobs));
    if (top) out.logprobs = {true, static_cast<uint32_t>(*top)};
    if (out.echo && out.logprobs.wanted)
        return Error{Code::unsupported, "echo: cannot be combined with logprobs on this server"};
    TRY(auto max_tokens, read_max_tokens(fields, "max_tokens"));
    out.max_tokens = max_tokens.value_or(out.max_tokens);
    return out;
}

}  // namespace brigada
