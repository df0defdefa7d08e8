#include "jinja/sought_texts.h"

#include <algorithm>
#include <array>
#include <deque>

#include "jinja/lexer.h"

namespace brigada::jinja {

namespace {

using Kind = Token::Kind;

constexpr size_t kShortest = 3;

constexpr std::array<std::string_view, 14> kSearches = {
    "startswith", "endswith", "split", "rsplit",    "find",       "rfind",        "index",
    "rindex",     "replace",  "count", "partition", "rpartition", "removeprefix", "removesuffix"};

bool is_op(const Token& token, std::string_view op) {
    return token.kind == Kind::op && token.text == op;
}

bool is_search(const Token& token) {
    return token.kind == Kind::name && std::ranges::find(kSearches, token.text) != kSearches.end();
}

/// How deep in the parentheses of a search each token stands; 0 outside.
std::vector<int> depths_in_searches(const std::vector<Token>& tokens) {
    std::vector<int> out(tokens.size());
    int depth = 0;
    for (size_t i = 1; i < tokens.size(); ++i) {
        const bool opens = is_op(tokens[i], "(");
        if (opens && (depth > 0 || is_search(tokens[i - 1]))) ++depth;
        out[i] = depth;
        if (depth > 0 && is_op(tokens[i], ")")) --depth;
    }
    return out;
}

void sort_each_once(std::vector<std::string>& texts) {
    std::ranges::sort(texts);
    const auto twins = std::ranges::unique(texts);
    texts.erase(twins.begin(), twins.end());
}

}  // namespace

Result<SoughtTexts> sought_texts(std::string_view source) {
    const std::string normal = normalise_source(source);
    std::deque<std::string> decoded;
    TRY(const std::vector<Token> tokens, tokenize(normal, decoded));
    const std::vector<int> depths = depths_in_searches(tokens);
    SoughtTexts out;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].kind != Kind::string) continue;
        const Token& next = tokens[i + 1];
        const bool is_looked_for =
            next.kind == Kind::name && (next.text == "in" || next.text == "not");
        const bool is_kept = i > 0 && is_op(tokens[i - 1], "=");  // in a variable, for later
        const bool is_inside = is_looked_for || is_kept || depths[i] > 0;
        if (is_inside && tokens[i].text.size() >= kShortest)
            out.inside.emplace_back(tokens[i].text);
        if (!tokens[i].text.empty()) out.whole.emplace_back(tokens[i].text);
    }
    sort_each_once(out.inside);
    sort_each_once(out.whole);
    return out;
}

}  // namespace brigada::jinja
