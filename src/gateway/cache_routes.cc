#include "gateway/cache_routes.h"

#include "base/concat.h"

namespace brigada {

namespace {

Error no_keys() {
    return {Code::invalid_argument,
            "keys: must be a list of cache keys, as x-litellm-cache-key has them"};
}

Result<std::vector<AnswerKey>> read_keys(std::string_view body) {
    TRY(const Json json, parse_json(body, "the body"));
    if (!json.is_object() || !json.contains("keys") || !json["keys"].is_array()) return no_keys();
    std::vector<AnswerKey> out;
    for (const Json& each : json["keys"]) {
        if (!each.is_string()) return no_keys();
        const auto key = AnswerKey::from_hex(each.get<std::string>());
        if (!key)
            return Error{Code::invalid_argument,
                         concat("keys[", out.size(), "]: must be 64 hex digits, as ",
                                "x-litellm-cache-key has them")};
        out.push_back(*key);
    }
    return out;
}

}  // namespace

Result<Json> ping_cache(Gateway& gateway) {
    if (!gateway.config().cache.enabled)
        return Error{Code::unavailable, "no answers are kept: litellm_settings.cache is not true"};
    const AnswerCache& answers = gateway.answers();
    return Json{{"status", "healthy"},
                {"cache_type", "local"},
                {"answers", answers.size()},
                {"bytes", answers.bytes()},
                {"max_bytes", answers.max_bytes()}};
}

Result<Json> delete_from_cache(Gateway& gateway, std::string_view body) {
    TRY(const std::vector<AnswerKey> keys, read_keys(body));
    int64_t deleted = 0;
    for (const AnswerKey& key : keys)
        deleted += gateway.answers().erase(key) ? 1 : 0;
    return Json{{"status", "success"}, {"deleted", deleted}};
}

Result<Json> flush_cache(Gateway& gateway) {
    const size_t deleted = gateway.answers().size();
    gateway.answers().clear();
    return Json{{"status", "success"}, {"deleted", deleted}};
}

}  // namespace brigada
