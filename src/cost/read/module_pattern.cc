#include "cost/read/module_pattern.h"

namespace brigada {

namespace {

constexpr size_t kMostAlternatives = 256;

/// With *, over the whole text; linear but for the last star, which is retried.
bool glob_matches(std::string_view pattern, std::string_view text) {
    size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

/// Each prefix so far with each of the alternatives after it.
void append_each(std::vector<std::string>& out, const std::vector<std::string>& alternatives) {
    std::vector<std::string> longer;
    for (const std::string& prefix : out)
        for (const std::string& alternative : alternatives)
            longer.push_back(prefix + alternative);
    out = std::move(longer);
}

std::vector<std::string> split_alternatives(std::string_view group) {
    std::vector<std::string> out(1);
    for (const char c : group) {
        if (c == '|')
            out.emplace_back();
        else
            out.back() += c;
    }
    return out;
}

bool is_literal(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '/';
}

bool is_group_of_literals(std::string_view group) {
    for (const char c : group)
        if (!is_literal(c) && c != '|') return false;
    return true;
}

std::optional<std::vector<std::string>> from_regex(std::string_view regex) {
    std::vector<std::string> out(1);
    if (regex.starts_with('^')) regex.remove_prefix(1);
    if (regex.ends_with('$')) regex.remove_suffix(1);
    for (size_t i = 0; i < regex.size() && out.size() <= kMostAlternatives; ++i) {
        const char c = regex[i];
        if (c == '.' && i + 1 < regex.size() && regex[i + 1] == '*') {
            append_each(out, {"*"});
            ++i;
        } else if (c == '\\' && i + 1 < regex.size() && !is_literal(regex[i + 1])) {
            append_each(out, {std::string(1, regex[++i])});
        } else if (c == '(') {
            const size_t end = regex.find(')', i);
            if (end == std::string_view::npos) return std::nullopt;
            const std::string_view group = regex.substr(i + 1, end - i - 1);
            if (!is_group_of_literals(group)) return std::nullopt;
            append_each(out, split_alternatives(group));
            i = end;
        } else if (is_literal(c) || c == '.') {
            append_each(out, {std::string(1, c)});
        } else {
            return std::nullopt;
        }
    }
    if (out.size() > kMostAlternatives) return std::nullopt;
    return out;
}

}  // namespace

std::optional<std::vector<std::string>> plain_patterns(std::string_view pattern) {
    if (pattern.starts_with("re:")) return from_regex(pattern.substr(3));
    return std::vector{std::string(pattern)};
}

bool pattern_matches(std::string_view pattern, std::string_view module) {
    if (pattern.empty()) return false;
    if (glob_matches(pattern, module)) return true;
    const std::string inside = "." + std::string(module) + ".";
    const std::string parts = "." + std::string(pattern) + ".";
    if (pattern.find('*') == std::string_view::npos) return inside.find(parts) != std::string::npos;
    return glob_matches(parts + "*", inside) || glob_matches("*" + parts + "*", inside);
}

}  // namespace brigada
