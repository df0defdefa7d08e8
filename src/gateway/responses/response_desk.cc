#include "gateway/responses/response_desk.h"

#include <expected>
#include <string>
#include <utility>

#include "base/concat.h"
#include "gateway/desk_answers.h"
#include "gateway/openapi/route_doc.h"

namespace brigada {

namespace {

/// A kept response, and whose it is.
struct Found {
    std::string tenant;
    std::string id;
    KeptResponseRef kept = {};
};

std::expected<Found, Denial> find(Gateway& gateway, const HttpRequest& request,
                                  std::string_view pattern) {
    const auto caller = caller_of(gateway, request);
    if (!caller) return std::unexpected(caller.error());
    Found out{.tenant = (*caller)->tenant, .id = std::string(*match_path(pattern, request.path))};
    out.kept = gateway.kept_responses().find(out.tenant, kept_key(out.tenant, out.id), {},
                                             gateway.loop().now());
    if (!out.kept)
        return std::unexpected(
            Denial{.status = 404,
                   .type = "not_found_error",
                   .message = concat("no response '", out.id,
                                     "' is kept; `store` may have been false, or others have "
                                     "needed the room")});
    return out;
}

Task<void> send_json(Responder& responder, std::string_view json) {
    co_await responder.send(200, {{"Content-Type", "application/json"}}, json);
}

}  // namespace

Task<void> show_response(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto found = find(gateway, request, kResponse);
    if (!found) co_return co_await refuse(responder, found.error());
    co_await send_json(responder, found->kept->response);
}

Task<void> list_response_input(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto found = find(gateway, request, kResponseInput);
    if (!found) co_return co_await refuse(responder, found.error());
    co_await send_json(responder, concat(R"({"object":"list","data":)", found->kept->input,
                                         R"(,"first_id":null,"last_id":null,"has_more":false})"));
}

Task<void> delete_response(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto found = find(gateway, request, kResponse);
    if (!found) co_return co_await refuse(responder, found.error());
    gateway.kept_responses().erase(kept_key(found->tenant, found->id));
    co_await answer(responder, 200, {{"id", found->id}, {"object", "response"}, {"deleted", true}});
}

Task<void> cancel_response(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto found = find(gateway, request, kResponseCancel);
    if (!found) co_return co_await refuse(responder, found.error());
    co_await refuse(responder,
                    {.status = 400,
                     .type = "invalid_request_error",
                     .message = concat("response '", found->id,
                                       "' is over: only one that runs in the background can be "
                                       "cancelled, and none does here")});
}

}  // namespace brigada
