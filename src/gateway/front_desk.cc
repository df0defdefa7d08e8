#include "gateway/front_desk.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/concat.h"
#include "base/json.h"
#include "gateway/cache_routes.h"
#include "gateway/client_call.h"
#include "gateway/count_desk.h"
#include "gateway/debug_state.h"
#include "gateway/desk_answers.h"
#include "gateway/directory/management.h"
#include "gateway/drain_calls.h"
#include "gateway/model_desk.h"
#include "gateway/openapi/document.h"
#include "gateway/query.h"
#include "gateway/refusal.h"
#include "gateway/responses/response_desk.h"
#include "gateway/session_report.h"
#include "gateway/spend_logs.h"
#include "gateway/spend_report.h"

namespace brigada {

namespace {

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
    const bool has_database = gateway.hierarchy().trouble().empty();  // service goes on without
    Json body = {{"status", "healthy"}, {"db", has_database ? "connected" : "Not connected"}};
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
                     {"store_trouble", now.store_trouble},
                     {"directory_trouble", gateway.hierarchy().trouble()}});
}

Task<void> metrics(Gateway& gateway, HttpRequest&, Responder& responder) {
    const std::string page =
        gateway.metrics().page(gateway.ledger().backlog(), gateway.ledger().accepting());
    co_await responder.send(200, {{"Content-Type", "text/plain; version=0.0.4"}},
                            page + gateway.seen().metrics_page());
}

// --- management -------------------------------------------------------------------------------

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
    ManagementReply reply = co_await gateway.hierarchy().administration().handle(call);
    if (request.method == HttpMethod::get && gateway.budgets().is_asking()) {
        co_await gateway.budgets().wait_for_answers();  // a sum that is not known yet was shown
        reply = draft(gateway.directory(), call);
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

// --- drain ------------------------------------------------------------------------------------

/// With drain_endpoint_token that is the key, so that an orchestrator need not have the master key.
std::optional<Denial> may_not_drain(Gateway& gateway, const HttpRequest& request) {
    const GeneralSettings& general = gateway.config().general;
    const std::string& token = general.drain_token.reveal();
    if (token.empty()) return not_an_admin(gateway, request);
    const std::string_view sent = key_of(request.headers, general.key_header);
    if (sent.size() == token.size() && CRYPTO_memcmp(sent.data(), token.data(), sent.size()) == 0)
        return std::nullopt;
    return Denial{
        .status = 401, .type = "auth_error", .message = "this is not the drain_endpoint_token"};
}

Task<void> drain(Gateway& gateway, HttpRequest& request, Responder& responder) {
    if (auto no = may_not_drain(gateway, request)) co_return co_await refuse(responder, *no);
    if (!gateway.config().general.has_drain_endpoint)
        co_return co_await refuse(
            responder, {.status = 404,
                        .type = "not_found_error",
                        .message = "general_settings.enable_drain_endpoint is not true"});
    co_await answer(responder, 200, co_await drain_calls(gateway, responder));
}

Task<void> report(Gateway& gateway, HttpRequest& request, Responder& responder,
                  Task<Result<Json>> (*read)(Gateway&, Query)) {
    if (auto no = not_an_admin(gateway, request)) co_return co_await refuse(responder, *no);
    auto read_now = co_await read(gateway, query_of(request));
    if (!read_now.ok()) co_return co_await refuse(responder, denial_of(read_now.error()));
    co_await answer(responder, 200, std::move(read_now).value());
}

Task<void> report_spend(Gateway& gateway, HttpRequest& request, Responder& responder) {
    return report(gateway, request, responder, spend_report);
}

Task<void> report_calls(Gateway& gateway, HttpRequest& request, Responder& responder) {
    return report(gateway, request, responder, spend_logs);
}

/// Names upstreams and counts of every tenant, so it is for administrators.
Task<void> show_state(Gateway& gateway, HttpRequest& request, Responder& responder) {
    if (auto no = not_an_admin(gateway, request)) co_return co_await refuse(responder, *no);
    co_await say(responder, 200, debug_state(gateway));
}

Task<void> tell(HttpRequest& request, Gateway& gateway, Responder& responder,
                std::function<Result<Json>()> act) {
    if (auto no = not_an_admin(gateway, request)) co_return co_await refuse(responder, *no);
    auto done = act();
    if (!done.ok()) co_return co_await refuse(responder, denial_of(done.error()));
    co_await answer(responder, 200, std::move(done).value());
}

Task<void> show_cache(Gateway& gateway, HttpRequest& request, Responder& responder) {
    return tell(request, gateway, responder, [&] { return ping_cache(gateway); });
}

Task<void> shrink_cache(Gateway& gateway, HttpRequest& request, Responder& responder) {
    return tell(request, gateway, responder,
                [&] { return delete_from_cache(gateway, request.body); });
}

Task<void> empty_cache(Gateway& gateway, HttpRequest& request, Responder& responder) {
    return tell(request, gateway, responder, [&] { return flush_cache(gateway); });
}

constexpr std::string_view kSession = "/sessions/{session}";

/// A key sees the sessions of its own tenant; the master key names one by ?tenant=.
Task<void> show_session(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const auto caller = caller_of(gateway, request);
    if (!caller) co_return co_await refuse(responder, caller.error());
    std::string tenant = (*caller)->tenant;
    if ((*caller)->admin) tenant = request.query_value("tenant").value_or(tenant);
    const std::string session = std::string(*match_path(kSession, request.path));
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

Task<void> greet(Gateway&, HttpRequest&, Responder& responder) {
    co_await say(responder, 200, "brigada gateway\n");
}

Task<void> describe(Gateway&, HttpRequest&, Responder& responder) {
    static const std::string document = dump_json(openapi_document(documented_gateway_routes()));
    co_await responder.send(200, {{"Content-Type", "application/json"}}, document);
}

using Handler = Task<void> (*)(Gateway&, HttpRequest&, Responder&);

/// A call to a model comes by the path of its dialect, management by a table of its own.
struct Endpoint {
    std::string_view method;
    std::string_view path;
    Handler handler;
    RouteDoc doc;
};

constexpr RouteDoc open_page(std::string_view about, std::string_view answer = "") {
    return {.about = about, .answer = answer, .is_public = true};
}

constexpr RouteDoc open_text(std::string_view about) {
    return {.about = about, .kind = AnswerKind::text, .is_public = true};
}

constexpr FieldDoc kReportQuery[] = {
    {"start_date", FieldType::moment, "in UTC; or a time. 30 days before the end unless given"},
    {"end_date", FieldType::moment, "in UTC, included; or a time, excluded. Now unless given"},
    {"group_by", FieldType::text, "", "team|api_key|user|customer|model|organization"},
};
constexpr FieldDoc kLogsQuery[] = {
    {"start_date", FieldType::moment, "in UTC; or a time. 30 days before the end unless given"},
    {"end_date", FieldType::moment, "in UTC, included; or a time, excluded. Now unless given"},
    {"api_key", FieldType::text, "a text or a token"},
    {"user_id", FieldType::text},
    {"team_id", FieldType::text},
    {"session_id", FieldType::text, "with its sub-agents"},
    {"request_id", FieldType::text, "as x-litellm-call-id has it"},
    {"summarize", FieldType::flag, "add up by day; true when there are dates"},
    {"limit", FieldType::page, "calls at most, the newest; 1000 unless given"},
};
constexpr FieldDoc kSessionQuery[] = {
    {"tenant", FieldType::text, "whose: team:ID; for the master key"},
};

constexpr Endpoint kEndpoints[] = {
    {"GET", "/", greet, open_text("say who answers")},
    {"GET", "/api/hello", greet, open_text("say who answers, to Claude Code, which asks here")},
    {"GET", "/v1/models", list_models, {"models the key may call", "", "ModelList"}},
    {"GET", kModel, show_model, {"one of them", "", "Model"}},
    {"GET", "/models", list_models, {"models the key may call", "", "ModelList"}},
    {"GET", "/model/info", show_models, {"deployments and their prices", "", "ModelInfo"}},
    {"GET", "/v1/model/info", show_models, {"deployments and their prices", "", "ModelInfo"}},
    {"POST",
     "/utils/token_counter",
     count_for_litellm,
     {"count the tokens of a prompt", "TokenCountRequest", "TokenCount"}},
    {"GET", "/health", health, {"upstreams, as their calls went", "", "Health"}},
    {"GET", "/health/liveliness", liveliness, open_text("whether the process answers")},
    {"GET", "/health/liveness", liveliness, open_text("whether the process answers")},
    {"GET", "/health/readiness", readiness,
     open_page("whether calls may come: 503 if not", "Readiness")},
    {"POST",
     "/health/drain",
     drain,
     {"let no call in, and wait for those that run", "", "Drained"}},
    {"GET", "/health/drain", drain, {"the same, for preStop hooks", "", "Drained"}},
    {"GET", "/health/backlog", backlog, open_page("calls the store does not have yet", "Backlog")},
    {"GET", "/metrics", metrics, open_text("for Prometheus")},
    {"GET",
     "/debug/state",
     show_state,
     {.about = "what runs and waits, for people", .kind = AnswerKind::text}},
    {"GET", "/cache/ping", show_cache, {"whether answers are kept, and how many", "", "Cache"}},
    {"POST", "/cache/delete", shrink_cache, {"forget answers", "CacheKeys", "CacheChanged"}},
    {"POST", "/cache/flushall", empty_cache, {"forget all answers", "", "CacheChanged"}},
    {"POST", "/config/reload", reload, {"read the configuration again", "", "Reloaded"}},
    {"GET", "/openapi.json", describe, open_page("this document")},
    {"GET",
     "/global/spend/report",
     report_spend,
     {"sums by holder", "", "SpendReport", kReportQuery}},
    {"GET", "/spend/logs", report_calls, {"calls, or sums by day", "", "SpendLogs", kLogsQuery}},
    {"GET", kSession, show_session, {"a session call by call", "", "Session", kSessionQuery}},
    {"GET",
     kResponseInput,
     list_response_input,
     {"what a kept response was asked", "", "InputItems"}},
    {"POST", kResponseCancel, cancel_response, {"refused: no response runs in the background"}},
    {"GET", kResponse, show_response, {"a response that is kept", "", "Response"}},
    {"DELETE", kResponse, delete_response, {"forget a response", "", "DeletedResponse"}},
};

constexpr RouteDoc kModelCall = {.about = "call a model", .body = "ModelCall"};

Task<void> call_model(Gateway& gateway, Dialect dialect, HttpRequest& request,
                      Responder& responder) {
    if (dialect == Dialect::count_tokens &&
        co_await count_for_anthropic(gateway, request, responder))
        co_return;
    ClientCall call(gateway, dialect, request, responder);
    co_await call.run();
}

Task<void> no_such_path(HttpRequest& request, Responder& responder) {
    co_await refuse(responder, {.status = 404,
                                .type = "not_found_error",
                                .message = concat("no such path: ", to_string(request.method), " ",
                                                  request.path)});
}

Task<void> wrong_method(HttpRequest& request, Responder& responder, std::string allowed) {
    co_await responder.send(405, {{"Content-Type", "application/json"}, {"Allow", allowed}},
                            dump_json(error_envelope(405, "method_not_allowed",
                                                     concat(request.path, " takes ", allowed,
                                                            ", not ", to_string(request.method)))));
}

Task<void> dispatch(Gateway& gateway, HttpRequest& request, Responder& responder) {
    const bool reads = request.method == HttpMethod::get || request.method == HttpMethod::head;
    if (const auto dialect = dialect_of(request.path)) {
        if (request.method != HttpMethod::post) return wrong_method(request, responder, "POST");
        return call_model(gateway, *dialect, request, responder);
    }
    const std::string_view method = reads ? "GET" : to_string(request.method);
    std::string allowed;
    for (const Endpoint& endpoint : kEndpoints) {
        if (!match_path(endpoint.path, request.path)) continue;
        if (endpoint.method == method) return endpoint.handler(gateway, request, responder);
        allowed += concat(allowed.empty() ? "" : ", ", endpoint.method);
    }
    if (!allowed.empty()) return wrong_method(request, responder, allowed);
    if (is_management_path(request.path)) return manage(gateway, request, responder);
    return no_such_path(request, responder);
}

}  // namespace

std::vector<DocumentedRoute> documented_gateway_routes() {
    std::vector<DocumentedRoute> out;
    for (const Dialect dialect : kDialects)
        out.push_back({"POST", concat("/v1", upstream_path(dialect)), &kModelCall});
    for (const Endpoint& endpoint : kEndpoints)
        out.push_back({endpoint.method, std::string(endpoint.path), &endpoint.doc});
    for (DocumentedRoute& route : documented_management_routes())
        out.push_back(std::move(route));
    return out;
}

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
