// AnswerCache: whole answers to calls that were made before, for the tenant that made them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/tenant_cache.h"

namespace brigada {

/// SHA-256 of all that an answer depends on, the tenant first.
struct AnswerKey {
    std::array<uint8_t, 32> bytes = {};

    std::string hex() const;
    static std::optional<AnswerKey> from_hex(std::string_view text);
    friend auto operator<=>(const AnswerKey&, const AnswerKey&) = default;

    struct Hash {
        size_t operator()(const AnswerKey& key) const;
    };
};

struct CachedAnswer {
    std::string content_type = {};
    std::string body = {};  // of a stream: its events, as the client got them
    bool stream = false;
    std::string model = {};     // that served it
    std::string upstream = {};  // the id of the deployment that did

    size_t bytes() const {
        return body.size() + content_type.size() + model.size() + upstream.size();
    }
};

using AnswerRef = std::shared_ptr<const CachedAnswer>;
using AnswerCache = TenantCache<AnswerKey, CachedAnswer, AnswerKey::Hash>;

}  // namespace brigada
