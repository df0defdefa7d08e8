#include "gateway/seen/alert.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "base/check.h"
#include "base/concat.h"
#include "base/json.h"
#include "gateway/seen/log_line.h"

namespace brigada {

namespace {

Json text_or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json dollars(const std::optional<Money>& money) {
    return money ? Json(static_cast<double>(money->nano) * 1e-9) : Json(nullptr);
}

std::string base64(std::string_view bytes) {
    std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
    out.resize(static_cast<size_t>(size));
    return out;
}

/// Nothing for what is not base64.
std::optional<std::string> from_base64(std::string_view text) {
    std::string out(3 * (text.size() / 4) + 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    if (size < 0) return std::nullopt;
    const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    out.resize(static_cast<size_t>(size) - padding);
    return out;
}

std::string key_of_secret(std::string_view secret) {
    constexpr std::string_view kPrefix = "whsec_";
    if (secret.starts_with(kPrefix))
        if (auto key = from_base64(secret.substr(kPrefix.size()))) return *std::move(key);
    return std::string(secret);
}

}  // namespace

std::string alert_json(const Alert& alert) {
    Json out = {{"spend", alert.spent ? dollars(alert.spent) : Json(0.0)},
                {"max_budget", dollars(alert.limit)},
                {"soft_budget", nullptr},
                {"token", text_or_null(alert.token)},
                {"customer_id", text_or_null(alert.end_user)},
                {"user_id", text_or_null(alert.user)},
                {"team_id", text_or_null(alert.team)},
                {"team_alias", text_or_null(alert.team_alias)},
                {"organization_id", text_or_null(alert.organisation)},
                {"user_email", text_or_null(alert.user_email)},
                {"key_alias", text_or_null(alert.key_alias)},
                {"projected_exceeded_date", nullptr},
                {"projected_spend", nullptr},
                {"event", alert.event},
                {"event_group", alert.group},
                {"event_message", alert.message},
                {"id", alert.id},
                {"time", log_time(alert.at)}};
    if (alert.permille) out["threshold"] = *alert.permille / 1000.0;
    if (alert.resets_at) out["budget_reset_at"] = log_time(*alert.resets_at);
    if (!alert.model.empty()) out["model"] = alert.model;
    if (!alert.upstream.empty()) out["upstream"] = alert.upstream;
    return dump_json(out);
}

std::string webhook_signature(std::string_view secret, std::string_view id, int64_t unix_seconds,
                              std::string_view body) {
    const std::string key = key_of_secret(secret);
    const std::string message = concat(id, ".", unix_seconds, ".", body);
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
    unsigned int size = 0;
    CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
               reinterpret_cast<const unsigned char*>(message.data()), message.size(), mac.data(),
               &size) != nullptr);
    return concat("v1,", base64({reinterpret_cast<const char*>(mac.data()), size}));
}

}  // namespace brigada
