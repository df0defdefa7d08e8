#include "gateway/model_desk.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/concat.h"
#include "gateway/desk_answers.h"
#include "gateway/model_page.h"
#include "gateway/model_report.h"
#include "gateway/openapi/route_doc.h"
#include "gateway/refusal.h"

namespace brigada {

namespace {

/// Both APIs have the path; Anthropic's clients always send their version.
Dialect dialect_of_models(const HttpRequest& request) {
    return request.headers.has("anthropic-version") ? Dialect::messages : Dialect::chat;
}

Task<void> refuse_models(HttpRequest& request, Responder& responder, const Denial& denial) {
    const Refusal refusal{.status = denial.status, .type = denial.type, .message = denial.message};
    const Dialect dialect = dialect_of_models(request);
    co_await responder.send(refusal.status, refusal_headers(refusal, dialect),
                            refusal_body(refusal, dialect));
}

std::vector<std::string> models_of(Gateway& gateway, const Caller& caller) {
    std::vector<std::string> names;
    for (const std::string& name : gateway.upstreams().model_names())
        if (!caller.denies(name)) names.push_back(name);
    return names;
}

}  // namespace

Task<void> list_models(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto caller = caller_of(gateway, request);
    if (!caller) co_return co_await refuse_models(request, responder, caller.error());
    co_await answer(responder, 200,
                    model_page(models_of(gateway, **caller), dialect_of_models(request)));
}

Task<void> show_model(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto caller = caller_of(gateway, request);
    if (!caller) co_return co_await refuse_models(request, responder, caller.error());
    const std::string name = std::string(*match_path(kModel, request.path));
    const std::vector<std::string> names = models_of(gateway, **caller);
    if (std::ranges::find(names, name) != names.end())
        co_return co_await answer(responder, 200, model_json(name, dialect_of_models(request)));
    co_await refuse_models(
        request, responder,
        {.status = 404,
         .type = "not_found_error",
         .message = concat("no model '", name, "' for this key; /v1/models lists its models")});
}

Task<void> show_models(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto caller = caller_of(gateway, request);
    if (!caller) co_return co_await refuse(responder, caller.error());
    co_await answer(responder, 200,
                    model_report(gateway.upstreams(), **caller, gateway.loop().now()));
}

}  // namespace brigada
