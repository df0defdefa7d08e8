// POST /tokenize and /detokenize, in vLLM's shapes.
#include <simdjson.h>

#include <optional>
#include <string>

#include "api/chat_request.h"
#include "api/json_fields.h"
#include "api/token_json.h"
#include "base/json.h"
#include "server/handlers.h"
#include "server/prompt.h"
#include "server/respond.h"

namespace brigada {

namespace {

namespace dom = simdjson::dom;

Result<Tokens> tokens_of_body(Service& service, const LoadedModel& model,
                              const JsonFields& fields) {
    if (fields.find("messages")) {
        TRY(ChatRequest chat, read_chat_request(fields, service.sampling_defaults(model),
                                                service.generation_limits(model)));
        TRY(ChatPrompt prompt, chat_prompt(model, chat));
        return std::move(prompt.tokens);
    }
    TRY(auto text, fields.text("prompt"));
    if (!text) return Error{Code::invalid_argument, "prompt: is missing; or send messages"};
    TRY(auto add, fields.boolean("add_special_tokens"));
    Tokens out;
    const Tokenizer& tokenizer = model.tokenizer();
    if (add.value_or(true) && tokenizer.add_bos() && tokenizer.bos())
        out.push_back(*tokenizer.bos());
    tokenizer.append_encoded(*text, Specials::recognise, out);
    return out;
}

Json ids_json(const Tokens& tokens) {
    Json out = Json::array();
    for (TokenId token : tokens)
        out.push_back(raw(token));
    return out;
}

Result<std::string> tokenize(Service& service, const LoadedModel& model, const JsonFields& fields) {
    TRY(auto with_text, fields.boolean("return_token_strs"));
    TRY(Tokens tokens, tokens_of_body(service, model, fields));
    Json body = {{"count", tokens.size()},
                 {"max_model_len", model.engine().max_context()},
                 {"tokens", ids_json(tokens)}};
    if (with_text.value_or(false)) {
        body["token_strs"] = Json::array();
        for (TokenId token : tokens)
            body["token_strs"].push_back(token_text(model.tokenizer(), token));
    }
    return dump_json(body);
}

Result<std::string> detokenize(Service&, const LoadedModel& model, const JsonFields& fields) {
    TRY(auto list, fields.array("tokens"));
    if (!list) return Error{Code::invalid_argument, "tokens: is missing"};
    const auto vocab = static_cast<uint32_t>(model.tokenizer().size());
    Tokens tokens;
    for (dom::element element : *list) {
        TRY(TokenId id, read_token_id(fields, "tokens", element, vocab));
        tokens.push_back(id);
    }
    return dump_json({{"prompt", model.tokenizer().decode(tokens, false)}});
}

using Operation = Result<std::string> (*)(Service&, const LoadedModel&, const JsonFields&);

/// The body parsed and its model checked, then the operation.
Result<std::string> apply(Operation operation, Service& service, const HttpRequest& http) {
    TRY(const LoadedModel* model, service.ready());
    dom::parser parser;
    TRY(dom::object object, parse_body(parser, http.body));
    const JsonFields fields(object);
    TRY(auto name, fields.text("model"));
    TRY(service.check_model(name.value_or("")));
    return operation(service, *model, fields);
}

Task<void> answer(Responder& responder, Result<std::string> body) {
    if (!body.ok()) {
        co_await send_error(responder, std::move(body).error());
        co_return;
    }
    co_await send_json(responder, 200, std::move(body).value());
}

}  // namespace

Task<void> handle_tokenize(Service& service, HttpRequest& request, Responder& responder) {
    return answer(responder, apply(tokenize, service, request));
}

Task<void> handle_detokenize(Service& service, HttpRequest& request, Responder& responder) {
    return answer(responder, apply(detokenize, service, request));
}

}  // namespace brigada
