// Alert: something that somebody should know about now, and how it reads to a webhook: LiteLLM's
// event, whose fields its receivers know, with a few of our own behind them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/wall_time.h"

namespace brigada {

struct Alert {
    std::string id = {};  // the same however often it is sent
    WallTime at = {};
    /// budget_crossed and threshold_crossed are LiteLLM's; upstream_down, upstream_up,
    /// ledger_trouble and ledger_recovered are ours.
    std::string event = {};
    std::string group = {};  // key, user, team, team_member, end_user, organization, proxy
    std::string message = {};

    // Of a budget, whose holder has the ids that fit.
    std::optional<Money> spent = {};
    std::optional<Money> limit = {};
    std::optional<int32_t> permille = {};
    std::optional<WallTime> resets_at = {};
    std::string token = {};  // the key's id
    std::string key_alias = {};
    std::string user = {};
    std::string user_email = {};
    std::string team = {};
    std::string team_alias = {};
    std::string organisation = {};
    std::string end_user = {};
    std::string model = {};  // of a budget for one model

    std::string upstream = {};
};

/// The body that is sent.
std::string alert_json(const Alert& alert);

/// Headers of the Standard Webhooks specification: webhook-id, webhook-timestamp and
/// webhook-signature, "v1," and the base64 of HMAC-SHA256 over "id.timestamp.body". A secret that
/// begins with "whsec_" is base64 behind it, any other is taken as it is.
std::string webhook_signature(std::string_view secret, std::string_view id, int64_t unix_seconds,
                              std::string_view body);

}  // namespace brigada
