#include "server/routes.h"

#include <string>
#include <string_view>

#include "api/error_body.h"
#include "base/same_secret.h"
#include "server/handlers.h"
#include "server/respond.h"

namespace brigada {

namespace {

using Handler = Task<void> (*)(Service&, HttpRequest&, Responder&);

struct Route {
    HttpMethod method;
    std::string_view path;
    Handler handler;
};

constexpr Route kRoutes[] = {
    {HttpMethod::post, "/v1/chat/completions", handle_chat},
    {HttpMethod::post, "/v1/completions", handle_completion},
    {HttpMethod::post, "/v1/messages", handle_messages},
    {HttpMethod::post, "/v1/messages/count_tokens", handle_count_tokens},
    {HttpMethod::post, "/v1/responses", handle_responses},
    {HttpMethod::get, "/v1/models", handle_models},
    {HttpMethod::post, "/tokenize", handle_tokenize},
    {HttpMethod::post, "/detokenize", handle_detokenize},
    {HttpMethod::get, "/health", handle_health},
    {HttpMethod::get, "/metrics", handle_metrics},
    {HttpMethod::get, "/debug/state", handle_debug_state},
};

/// HEAD is answered as GET; the HTTP layer leaves the body out.
bool takes(const Route& route, HttpMethod method) {
    return route.method == method ||
           (route.method == HttpMethod::get && method == HttpMethod::head);
}

std::string all_paths() {
    std::string out;
    for (const Route& route : kRoutes)
        out += concat(out.empty() ? "" : ", ", to_string(route.method), " ", route.path);
    return out;
}

Task<void> refuse(HttpRequest& request, Responder& responder, std::string allowed) {
    const HttpHeaders json{{"Content-Type", "application/json"}};
    if (allowed.empty()) {
        co_await responder.send(
            404, json,
            error_body(404, concat("no such path: ", to_string(request.method), " ", request.path,
                                   "; this server has ", all_paths())));
        co_return;
    }
    HttpHeaders headers = json;
    headers.add("Allow", allowed);
    co_await responder.send(405, headers,
                            error_body(405, concat(request.path, " takes ", allowed, ", not ",
                                                   to_string(request.method))));
}

/// Whoever asks for the server's health need not have the key.
bool may_enter(const Service& service, const HttpRequest& request) {
    const std::string& key = service.config().key;
    if (key.empty() || request.path == "/health") return true;
    if (const auto sent = request.headers.get("x-api-key")) return same_secret(*sent, key);
    const auto sent = request.headers.get("authorization");
    return sent && same_secret(*sent, concat("Bearer ", key));
}

Task<void> dispatch(Service& service, HttpRequest& request, Responder& responder) {
    if (!may_enter(service, request))
        return send_error(responder, {Code::forbidden, "this engine is called with a key"});
    std::string allowed;
    for (const Route& route : kRoutes) {
        if (route.path != request.path) continue;
        if (takes(route, request.method)) return route.handler(service, request, responder);
        allowed += concat(allowed.empty() ? "" : ", ", to_string(route.method));
    }
    return refuse(request, responder, std::move(allowed));
}

}  // namespace

HttpHandler make_routes(Service& service) {
    return [&service](HttpRequest& request, Responder& responder) {
        return dispatch(service, request, responder);
    };
}

}  // namespace brigada
