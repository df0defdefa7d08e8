// Dialect: the API a client speaks to the front door. The door passes a call on in the same
// dialect; what differs between dialects, where things stand in a body or an event, is told from
// here.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace brigada {

enum class Dialect : uint8_t { chat, completions, embeddings, responses, messages, count_tokens };

inline constexpr Dialect kDialects[] = {Dialect::chat,       Dialect::completions,
                                        Dialect::embeddings, Dialect::responses,
                                        Dialect::messages,   Dialect::count_tokens};

std::string_view to_string(Dialect dialect);

/// By the path of the request, with or without /v1: "/v1/messages". nullopt for other paths.
std::optional<Dialect> dialect_of(std::string_view path);

/// Below an upstream's base URL that ends in /v1: "/chat/completions".
std::string_view upstream_path(Dialect dialect);

/// Whether errors and usage have Anthropic's shapes.
constexpr bool is_anthropic(Dialect dialect) {
    return dialect == Dialect::messages || dialect == Dialect::count_tokens;
}

/// Whether a streamed answer reports usage only when stream_options.include_usage asks for it.
constexpr bool must_ask_for_usage(Dialect dialect) {
    return dialect == Dialect::chat || dialect == Dialect::completions;
}

}  // namespace brigada
