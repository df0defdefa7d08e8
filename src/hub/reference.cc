#include "hub/reference.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ranges>
#include <vector>

#include "base/joined.h"

namespace brigada {

namespace {

constexpr size_t kLongestReference = 512;
constexpr size_t kLongestComponent = 200;  // file systems end at 255; the cache adds suffixes

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
}

bool is_safe_component(std::string_view part) {
    return !part.empty() && part.size() <= kLongestComponent && part != "." && part != ".." &&
           std::ranges::all_of(part, is_name_character);
}

bool looks_like_a_path(std::string_view text) {
    return text.starts_with('/') || text.starts_with('.') || text.starts_with('~') ||
           (text.find('/') == std::string_view::npos && text.ends_with(".gguf"));
}

bool looks_like_a_hub_name(std::string_view text) {
    return text.starts_with("hf:") || text.find('/') != std::string_view::npos;
}

Error unknown_name(std::string_view text) {
    const auto names = joined(catalogue() | std::views::transform(&CatalogueModel::name));
    return {Code::not_found, concat("no model '", text, "': not in the catalogue (", names,
                                    "), not a file here, not a hub's org/name")};
}

Result<HubReference> parse_hub_reference(std::string_view text) {
    const Error bad{Code::invalid_argument,
                    concat("'", text, "' is not a model on a hub; write org/name, ",
                           "org/name/file.gguf or org/name@revision")};
    std::string_view rest = text;
    if (rest.starts_with("hf:")) rest.remove_prefix(3);
    const std::vector<std::string_view> parts = split(rest, '/');
    if (parts.size() < 2) return bad;

    HubReference reference;
    std::string_view name = parts[1];
    if (const size_t at = name.find('@'); at != std::string_view::npos) {
        reference.revision = name.substr(at + 1);
        name = name.substr(0, at);
    }
    if (!is_safe_component(parts[0]) || !is_safe_component(name)) return bad;
    if (!is_safe_component(reference.revision)) return bad;
    reference.repo = concat(parts[0], "/", name);
    if (parts.size() > 2) {
        reference.file = rest.substr(parts[0].size() + parts[1].size() + 2);
        if (!is_safe_relative_path(reference.file)) return bad;
    }
    return reference;
}

Path expand_home(std::string_view text) {
    const char* home = std::getenv("HOME");
    if (home == nullptr || !text.starts_with("~/")) return Path(text);
    return Path(home) / Path(text.substr(2));
}

}  // namespace

bool is_safe_relative_path(std::string_view path) {
    return !path.empty() && path.size() <= kLongestReference &&
           std::ranges::all_of(split(path, '/'), is_safe_component);
}

Result<ModelReference> parse_model_reference(std::string_view text) {
    if (text.empty()) return Error{Code::invalid_argument, "a model's name is empty"};
    if (text.size() > kLongestReference)
        return Error{Code::invalid_argument, concat("a model's name of ", text.size(),
                                                    " characters; at most ", kLongestReference)};
    if (const CatalogueModel* model = find_in_catalogue(text)) return ModelReference(model);

    const Path path = expand_home(text);
    std::error_code ignored;
    if (looks_like_a_path(text) || std::filesystem::exists(path, ignored))
        return ModelReference(path);
    if (!looks_like_a_hub_name(text)) return unknown_name(text);
    TRY(HubReference reference, parse_hub_reference(text));
    return ModelReference(std::move(reference));
}

std::string cache_key(const CatalogueModel& model) {
    return std::string(model.name);
}

std::string cache_key(const HubReference& reference) {
    std::string key = reference.repo;
    if (reference.revision != "main") key += "@" + reference.revision;
    if (!reference.file.empty()) key += "/" + reference.file;
    return key;
}

}  // namespace brigada
