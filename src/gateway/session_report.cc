#include "gateway/session_report.h"

#include <map>
#include <string>

#include "gateway/prompt_keys.h"
#include "gateway/session_identity.h"
#include "route/miss_cause.h"

namespace brigada {

namespace {

Json optional(const auto& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json name_of(const Upstream* upstream) {
    return upstream ? Json(upstream->deployment->id) : Json(nullptr);
}

Json call_json(const RememberedCall& call, const UpstreamSet& upstreams, Instant now) {
    const Upstream* upstream = upstreams.find(call.upstream);  // null: a reload took it away
    return {{"seconds_ago", (now - call.at).seconds()},
            {"upstream", name_of(upstream)},
            {"model", upstream ? Json(upstream->deployment->model_name) : Json(nullptr)},
            {"prompt_tokens_expected", call.prompt_tokens},
            {"cached_tokens_predicted", call.predicted_tokens},
            {"cached_tokens_reported", optional(call.reported_tokens)},
            {"miss",
             {{"cause", to_string(call.miss.cause)},
              {"lost_tokens_estimated", int64_t{call.miss.lost_blocks} * kPieceTokens},
              {"first_difference_at_byte",
               call.miss.first_difference
                   ? Json(int64_t{*call.miss.first_difference} * kPieceTokens * kBytesPerToken)
                   : Json(nullptr)}}}};
}

Json session_json(const Session& session, const UpstreamSet& upstreams, Instant now) {
    Json calls = Json::array();
    for (const RememberedCall& call : session.calls)
        calls.push_back(call_json(call, upstreams, now));
    const auto home = session.upstream();
    return {{"upstream", name_of(home ? upstreams.find(*home) : nullptr)},
            {"calls_running", session.leases},
            {"calls", std::move(calls)}};
}

/// Its sub-agents, by name.
Json children_json(const SessionTable& sessions, SessionId parent, const UpstreamSet& upstreams,
                   Instant now) {
    std::map<std::string, Json> children;
    for (const SessionId id : sessions.members(parent))
        if (const Session* child = sessions.find(id, now)) {
            Json told = session_json(*child, upstreams, now);
            told["agent"] = child->agent;
            children[child->agent] = std::move(told);
        }
    Json out = Json::array();
    for (auto& [name, told] : children)
        out.push_back(std::move(told));
    return out;
}

}  // namespace

std::optional<Json> session_report(Gateway& gateway, std::string_view tenant,
                                   std::string_view session) {
    const Instant now = gateway.loop().now();
    const SessionId id = session_id(tenant, session);
    const SessionTable& sessions = gateway.router().sessions();
    const Session* found = sessions.find(id, now);
    Json children = children_json(sessions, id, gateway.upstreams(), now);
    if (found == nullptr && children.empty()) return std::nullopt;
    Json out = session_json(found ? *found : Session{}, gateway.upstreams(), now);
    out["session"] = session;
    out["children"] = std::move(children);
    return out;
}

}  // namespace brigada
