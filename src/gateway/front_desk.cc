#include "gateway/front_desk.h"

#include <string>
#include <string_view>

#include "base/concat.h"
#include "base/json.h"
#include "gateway/client_call.h"
#include "gateway/directory/management.h"
#include "gateway/refusal.h"
#include "gateway/session_report.h"
#include "gateway/spend_report.h"

namespace brigada {

namespace {

Task<void> answer(Responder& responder, int status, Json body) {
    co_await responder.send(status, {{"Content-Type", "application/json"}}, dump_json(body));
}

Task<void> say(Responder& responder, int status, std::string_view text) {
    co_await responder.send(status, {{"Content-Type", "text/plain; charset=utf-8"}}, text);
}

Task<void> refuse(Responder& responder, Denial denial) {
    co_await answer(responder, denial.status,
                    error_envelope(denial.status, denial.type, denial.message));
}

std::expected<CallerRef, Denial> caller_of(Gateway& gateway, const HttpRequest& request) {
    return gateway.directory().identify(
        key_of(request.headers, gateway.config().general.key_header), WallClock().now());
}

// --- models -----------------------------------------------------------------------------------

Task<void> list_models(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto caller = caller_of(gateway, request);
    if (!caller) co_return co_await refuse(responder, caller.error());
    Json data = Json::array();
    for (const std::string& name : gateway.upstreams().model_names())
        if (!(*caller)->denies(name))
            data.push_back({{"id", name}, {"object", "model"}, {"owned_by", "brigada"}});
    co_await answer(responder, 200, {{"object", "list"}, {"data", std::move(data)}});
}

// --- health -----------------------------------------------------------------------------------

Json upstream_json(const Upstream& upstream, Instant now) {
    const Deployment& deployment = *upstream.deployment;
    return {{"model", deployment.model_name},
            {"model_id", deployment.id},
            {"upstream_model", deployment.upstream_model},
            {"takes_calls", deployment.address && upstream.state->takes(0, now)},
            {"failures_in_a_row", upstream.breaker().failures()},
            {"attempts", upstream.state->calls},
            {"failed_attempts", upstream.state->failures}};
}

/// Whether the door lets calls in now: 503 while it drains or the ledger can't be written.
Task<void> readiness(Gateway& gateway, HttpRequest&, Responder& responder) {
    if (gateway.draining())
        co_return co_await answer(responder, 503, {{"status", "shutting_down"}});
    if (!gateway.ledger().accepting())
        co_return co_await answer(
            responder, 503,
            {{"status", "ledger_full"}, {"trouble", gateway.ledger().backlog().log_trouble}});
    Json body = {{"status", "healthy"}, {"db", "connected"}};
    if (const SharedBooks* books = gateway.books())
        body["limits"] = books->decides() ? "shared" : concat("alone: ", books->state());
    co_await answer(responder, 200, std::move(body));
}

Task<void> liveliness(Gateway&, HttpRequest&, Responder& responder) {
    co_await say(responder, 200, "\"I'm alive!\"");
}

Task<void> health(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto caller = caller_of(gateway, request);
    if (!caller) co_return co_await refuse(responder, caller.error());
    Json healthy = Json::array(), unhealthy = Json::array();
    const Instant now = gateway.loop().now();
    for (const Upstream& upstream : gateway.upstreams().all()) {
        Json one = upstream_json(upstream, now);
        (one["takes_calls"] == true ? healthy : unhealthy).push_back(std::move(one));
    }
    const size_t good = healthy.size(), bad = unhealthy.size();
    co_await answer(responder, 200,
                    {{"healthy_endpoints", std::move(healthy)},
                     {"unhealthy_endpoints", std::move(unhealthy)},
                     {"healthy_count", good},
                     {"unhealthy_count", bad}});
}

Task<void> backlog(Gateway& gateway, HttpRequest&, Responder& responder) {
    const LedgerBacklog now = gateway.ledger().backlog();
    co_await answer(responder, 200,
                    {{"ledger_records", now.records},
                     {"ledger_bytes", now.bytes},
                     {"log_trouble", now.log_trouble},
                     {"store_trouble", now.store_trouble}});
}

Task<void> metrics(Gateway& gateway, HttpRequest&, Responder& responder) {
    const std::string page =
        gateway.metrics().page(gateway.ledger().backlog(), gateway.ledger().accepting());
    co_await responder.send(200, {{"Content-Type", "text/plain; version=0.0.4"}}, page);
}

// --- management -------------------------------------------------------------------------------

std::map<std::string, std::string, std::less<>> query_of(const HttpRequest& request) {
    std::map<std::string, std::string, std::less<>> out;
    for (std::string_view rest = request.query; !rest.empty();) {
        const size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view pair = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::string name(pair.substr(0, pair.find('=')));
        if (const auto value = request.query_value(name)) out.emplace(name, *value);
    }
    return out;
}

Task<void> manage(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto caller = caller_of(gateway, request);
    if (!caller) co_return co_await refuse(responder, caller.error());
    ManagementCall call{.method = std::string(to_string(request.method)),
                        .path = request.path,
                        .query = query_of(request),
                        .caller = *caller,
                        .now = WallClock().now(),
                        .spend = [&gateway](const ScopeInfo& scope) {
                            return gateway.budgets().spend(scope, WallClock().now());
                        }};
    if (!request.body.empty()) {
        auto body = parse_json(request.body, "the body");
        if (!body.ok())
            co_return co_await refuse(
                responder,
                {.status = 400, .type = "bad_request_error", .message = body.error().message});
        call.body = std::move(body).value();
    }
    ManagementReply reply = handle(gateway.directory(), call);
    if (request.method == HttpMethod::get && gateway.budgets().is_asking()) {
        co_await gateway.budgets().wait_for_answers();  // a sum that is not known yet was shown
        reply = handle(gateway.directory(), call);
    }
    co_await answer(responder, reply.status, std::move(reply.body));
}

/// Nothing when the caller may administer; else the refusal.
std::optional<Denial> not_an_admin(Gateway& gateway, const HttpRequest& request) {
    const auto caller = caller_of(gateway, request);
    if (!caller) return caller.error();
    if ((*caller)->admin) return std::nullopt;
    return Denial{.status = 403,
                  .type = "auth_error",
                  .message = concat("only the master key may use ", request.path)};
}

Task<void> reload(Gateway& gateway, HttpRequest& request, Responder& responder) {
    if (auto no = not_an_admin(gateway, request)) co_return co_await refuse(responder, *no);
    const auto notes = co_await gateway.reload();
    if (!notes.ok()) {
        const bool busy = notes.error().code == Code::unavailable;
        co_return co_await refuse(
            responder,
            {.status = busy ? 503 : 400,
             .type = "bad_request_error",
             .message = concat("the configuration stays as it was: ", notes.error().message)});
    }
    co_await answer(responder, 200, {{"status", "success"}, {"warnings", *notes}});
}

Task<void> report_spend(Gateway& gateway, HttpRequest& request, Responder& responder) {
    if (auto no = not_an_admin(gateway, request)) co_return co_await refuse(responder, *no);
    auto report = spend_report(gateway, query_of(request));
    if (!report.ok())
        co_return co_await refuse(
            responder,
            {.status = 400, .type = "bad_request_error", .message = report.error().message});
    co_await answer(responder, 200, std::move(report).value());
}

constexpr std::string_view kSessions = "/sessions/";
constexpr std::string_view kReload = "/config/reload";

/// A key sees the sessions of its own tenant; the master key names one by ?tenant=.
Task<void> show_session(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto caller = caller_of(gateway, request);
    if (!caller) co_return co_await refuse(responder, caller.error());
    std::string tenant = (*caller)->tenant;
    if ((*caller)->admin) tenant = request.query_value("tenant").value_or(tenant);
    const std::string session = request.path.substr(kSessions.size());
    auto report = session_report(gateway, tenant, session);
    if (!report)
        co_return co_await refuse(responder,
                                  {.status = 404,
                                   .type = "not_found_error",
                                   .message = concat("no session '", session, "' of ", tenant,
                                                     "; it is forgotten after an idle hour")});
    co_await answer(responder, 200, std::move(*report));
}

// --- all paths --------------------------------------------------------------------------------

using Handler = Task<void> (*)(Gateway&, HttpRequest&, Responder&);

struct Endpoint {
    std::string_view path;
    Handler handler;
};

constexpr Endpoint kEndpoints[] = {
    {"/v1/models", list_models},
    {"/models", list_models},
    {"/health", health},
    {"/health/liveliness", liveliness},
    {"/health/liveness", liveliness},
    {"/health/readiness", readiness},
    {"/health/backlog", backlog},
    {"/metrics", metrics},
    {"/global/spend/report", report_spend},
};

Task<void> call_model(Gateway& gateway, Dialect dialect, HttpRequest& request,
                      Responder& responder) {
    ClientCall call(gateway, dialect, request, responder);
    co_await call.run();
}

Task<void> greet(Responder& responder) {
    co_await say(responder, 200, "brigada gateway\n");
}

Task<void> no_such_path(HttpRequest& request, Responder& responder) {
    co_await refuse(responder, {.status = 404,
                                .type = "not_found_error",
                                .message = concat("no such path: ", to_string(request.method), " ",
                                                  request.path)});
}

Task<void> wrong_method(HttpRequest& request, Responder& responder, std::string_view allowed) {
    co_await responder.send(405, {{"Content-Type", "application/json"}, {"Allow", allowed}},
                            dump_json(error_envelope(405, "method_not_allowed",
                                                     concat(request.path, " takes ", allowed,
                                                            ", not ", to_string(request.method)))));
}

Task<void> dispatch(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const bool reads = request.method == HttpMethod::get || request.method == HttpMethod::head;
    if (request.path == "/") return greet(responder);
    if (const auto dialect = dialect_of(request.path)) {
        if (request.method != HttpMethod::post) return wrong_method(request, responder, "POST");
        return call_model(gateway, *dialect, request, responder);
    }
    for (const Endpoint& endpoint : kEndpoints) {
        if (endpoint.path != request.path) continue;
        if (!reads) return wrong_method(request, responder, "GET");
        return endpoint.handler(gateway, request, responder);
    }
    if (request.path.starts_with(kSessions)) {
        if (!reads) return wrong_method(request, responder, "GET");
        return show_session(gateway, request, responder);
    }
    if (request.path == kReload) {
        if (request.method != HttpMethod::post) return wrong_method(request, responder, "POST");
        return reload(gateway, request, responder);
    }
    if (is_management_path(request.path)) return manage(gateway, request, responder);
    return no_such_path(request, responder);
}

}  // namespace

HttpHandler make_gateway_routes(Gateway& gateway) {
    return [&gateway](HttpRequest& request, Responder& responder) {
        return dispatch(gateway, request, responder);
    };
}

HttpErrorBody dress_gateway_error(const HttpError& error) {
    const Dialect dialect = dialect_of(error.path).value_or(Dialect::chat);
    const Refusal refusal{
        .status = error.status, .type = "bad_request_error", .message = error.message};
    return {"application/json", refusal_body(refusal, dialect)};
}

}  // namespace brigada
