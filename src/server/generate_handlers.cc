// POST /v1/chat/completions, /v1/completions, /v1/messages and /v1/responses.
#include <ctime>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/reply.h"
#include "base/joined.h"
#include "dialect/read_conversation.h"
#include "dialect/write_conversation.h"
#include "server/generation.h"
#include "server/handlers.h"
#include "server/prompt.h"
#include "server/respond.h"

namespace brigada {

namespace {

/// A request understood and ready for the engine.
struct Work {
    const LoadedModel* model = nullptr;
    std::vector<EngineRequest> parts;
    std::unique_ptr<Reply> reply;
    std::optional<GrammarSpec> format;
    bool stream = false;
};

ReplyHead reply_head(Service& service, std::string_view id_prefix, const GenerationOptions& options,
                     const LogprobRequest& logprobs) {
    return {.id = service.new_id(id_prefix),
            .created_unix = std::time(nullptr),
            .model = service.config().model_name,
            .include_usage = options.include_usage,
            .logprobs = logprobs.wanted};
}

ChatAnswers chat_answers(Service& service, const LoadedModel& model, const ChatRequest& request,
                         const ChatPrompt& prompt) {
    return {.format = model.answers,
            // A call that must be made is made from the first token on.
            .rules = {.starts_in_reasoning = prompt.opens_reasoning && !request.forced_tool,
                      .continues_text = request.continue_final_message && !prompt.opens_reasoning,
                      .one_call_only = !request.parallel_tool_calls,
                      .calls_or_text = request.options.format && !request.forced_tool},
            .tools = ToolList(request.tools),
            .choices = request.options.choices,
            .include_reasoning = request.include_reasoning,
            .on_broken_call = [&metrics = service.metrics()](std::string_view reason) {
                metrics.broken_call(reason);
            }};
}

/// `body` may not be the request's own, but one made of it.
Result<Work> prepare_chat(Service& service, std::string_view body, const HttpRequest& http,
                          Dialect dialect = Dialect::chat) {
    Work work;
    TRY(work.model, service.ready());
    const LoadedModel& model = *work.model;
    TRY(ChatRequest request, read_chat_request(body, service.sampling_defaults(model),
                                               service.generation_limits(model)));
    TRY(service.check_model(request.model));
    TRY(ChatPrompt prompt, chat_prompt(model, request));
    TRY(work.format, answer_grammar(model, request, prompt));
    ChatAnswers answers = chat_answers(service, model, request, prompt);
    work.parts.push_back(engine_request(std::move(prompt.tokens), request.options, request.logprobs,
                                        request.max_tokens, http));
    work.parts.back().shown_controls = shown_controls(model, request);
    ReplyHead head = reply_head(service, "chatcmpl-", request.options, request.logprobs);
    head.only_text_logprobs = dialect != Dialect::chat;  // where they belong to a text
    work.reply = make_chat_reply(std::move(head), std::move(answers), model.tokenizer());
    work.stream = request.options.stream;
    return work;
}

std::string_view id_prefix(Dialect dialect) {
    return dialect == Dialect::messages ? "msg_" : "resp_";
}

/// A request of another dialect, as the chat it is.
struct TranslatedChat {
    Conversation asked;
    std::string body;
    std::string dropped;
};

Result<TranslatedChat> as_chat(const HttpRequest& http, Dialect from) {
    TranslatedChat out;
    TRY(out.asked, read_conversation(http.body, from));
    if (!out.asked.previous_response_id.empty())
        return Error{Code::unsupported,
                     "previous_response_id: this engine keeps no responses; brigada gateway does"};
    TRY(WrittenRequest chat, write_conversation(out.asked, Dialect::chat, out.asked.model));
    out.body = std::move(chat.body);
    out.body.reserve(out.body.size() + kBodyPadding);
    out.dropped = joined(chat.dropped);
    return out;
}

Result<Work> prepare_translated(Service& service, const HttpRequest& http, Dialect from) {
    TRY(TranslatedChat chat, as_chat(http, from));
    TRY(Work work, prepare_chat(service, chat.body, http, from));
    const ReplyHead head{.id = service.new_id(id_prefix(from)),
                         .created_unix = std::time(nullptr),
                         .model = service.config().model_name};
    work.reply = make_translated_reply(std::move(work.reply), from, head, chat.asked,
                                       std::move(chat.dropped));
    return work;
}

/// {"input_tokens": N}
Result<std::string> count_tokens(Service& service, const HttpRequest& http) {
    TRY(const LoadedModel* model, service.ready());
    TRY(const TranslatedChat chat, as_chat(http, Dialect::messages));
    TRY(const ChatRequest request, read_chat_request(chat.body, service.sampling_defaults(*model),
                                                     service.generation_limits(*model)));
    TRY(service.check_model(request.model));
    TRY(const ChatPrompt prompt, chat_prompt(*model, request));
    return dump_json({{"input_tokens", prompt.tokens.size()}});
}

/// What `echo` puts in front of each choice.
std::vector<std::string> echo_texts(const LoadedModel& model, const CompletionRequest& request) {
    std::vector<std::string> out;
    for (const CompletionPrompt& prompt : request.prompts) {
        std::string text;
        if (request.echo && std::holds_alternative<std::string>(prompt))
            text = std::get<std::string>(prompt);
        else if (request.echo)
            text = model.tokenizer().decode(std::get<Tokens>(prompt), false);
        out.insert(out.end(), request.options.choices, text);
    }
    return out;
}

Result<Work> prepare_completion(Service& service, const HttpRequest& http) {
    Work work;
    TRY(work.model, service.ready());
    const LoadedModel& model = *work.model;
    TRY(CompletionRequest request,
        read_completion_request(http.body, service.sampling_defaults(model),
                                service.generation_limits(model)));
    TRY(service.check_model(request.model));
    for (const CompletionPrompt& text : request.prompts) {
        TRY(Tokens prompt, completion_prompt(model, text));
        work.parts.push_back(engine_request(std::move(prompt), request.options, request.logprobs,
                                            request.max_tokens, http));
    }
    work.reply =
        make_completion_reply(reply_head(service, "cmpl-", request.options, request.logprobs),
                              echo_texts(model, request), model.tokenizer());
    work.format = std::move(request.options.format);
    work.stream = request.options.stream;
    return work;
}

/// The body is not needed any more once it is understood: a stream must not keep 400 KB for hours.
void free_body(HttpRequest& request) {
    std::string().swap(request.body);
}

/// The form that the answers must have, for each part.
Task<Result<void>> add_grammar(Service& service, Work& work) {
    if (!work.format) co_return Result<void>();
    CO_TRY(const std::shared_ptr<const Grammar> grammar,
           co_await service.grammars().get(*std::move(work.format)));
    for (EngineRequest& part : work.parts)
        part.grammar = grammar;
    co_return Result<void>();
}

Task<void> answer(Service& service, HttpRequest& request, Responder& responder,
                  Result<Work> prepared, Dialect dialect = Dialect::chat) {
    free_body(request);
    if (!prepared.ok()) {
        co_await send_error(responder, std::move(prepared).error(), dialect);
        co_return;
    }
    Work work = std::move(prepared).value();
    if (auto added = co_await add_grammar(service, work); !added.ok()) {
        co_await send_error(responder, std::move(added).error(), dialect);
        co_return;
    }
    Generation generation(service, *work.model, responder, *work.reply);
    co_await generation.run(std::move(work.parts), work.stream);
}

}  // namespace

Task<void> handle_chat(Service& service, HttpRequest& request, Responder& responder) {
    return answer(service, request, responder, prepare_chat(service, request.body, request));
}

Task<void> handle_messages(Service& service, HttpRequest& request, Responder& responder) {
    return answer(service, request, responder,
                  prepare_translated(service, request, Dialect::messages), Dialect::messages);
}

Task<void> handle_responses(Service& service, HttpRequest& request, Responder& responder) {
    return answer(service, request, responder,
                  prepare_translated(service, request, Dialect::responses), Dialect::responses);
}

Task<void> handle_count_tokens(Service& service, HttpRequest& request, Responder& responder) {
    auto counted = count_tokens(service, request);
    if (counted.ok())
        co_await send_json(responder, 200, std::move(counted).value());
    else
        co_await send_error(responder, std::move(counted).error(), Dialect::messages);
}

Task<void> handle_completion(Service& service, HttpRequest& request, Responder& responder) {
    return answer(service, request, responder, prepare_completion(service, request));
}

}  // namespace brigada
