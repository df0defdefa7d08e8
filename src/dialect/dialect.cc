#include "dialect/dialect.h"

#include <array>

namespace brigada {

namespace {

struct Row {
    Dialect dialect;
    std::string_view name;
    std::string_view path;  // below /v1
};

constexpr std::array kRows{
    Row{Dialect::chat, "chat", "/chat/completions"},
    Row{Dialect::completions, "completions", "/completions"},
    Row{Dialect::embeddings, "embeddings", "/embeddings"},
    Row{Dialect::responses, "responses", "/responses"},
    Row{Dialect::messages, "messages", "/messages"},
    Row{Dialect::count_tokens, "count_tokens", "/messages/count_tokens"},
};

}  // namespace

std::string_view to_string(Dialect dialect) {
    return kRows[static_cast<size_t>(dialect)].name;
}

std::optional<Dialect> dialect_of(std::string_view path) {
    if (path.starts_with("/v1/")) path.remove_prefix(3);
    for (const Row& row : kRows)
        if (row.path == path) return row.dialect;
    return std::nullopt;
}

std::string_view upstream_path(Dialect dialect) {
    return kRows[static_cast<size_t>(dialect)].path;
}

}  // namespace brigada
