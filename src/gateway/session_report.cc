#include "gateway/session_report.h"

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
            {"prompt_tokens_estimated", call.prompt_tokens},
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

}  // namespace

std::optional<Json> session_report(Gateway& gateway, std::string_view tenant,
                                   std::string_view session) {
    const Instant now = gateway.loop().now();
    const SessionId id = session_id(tenant, session);
    const Session* found = gateway.router().sessions().find(id, now);
    if (found == nullptr) return std::nullopt;
    Json calls = Json::array();
    for (const RememberedCall& call : found->calls)
        calls.push_back(call_json(call, gateway.upstreams(), now));
    const auto home = found->upstream();
    return Json{{"session", session},
                {"upstream", name_of(home ? gateway.upstreams().find(*home) : nullptr)},
                {"calls_running", found->leases},
                {"calls", std::move(calls)}};
}

}  // namespace brigada
