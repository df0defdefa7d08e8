#include "gateway/config/yaml_reader.h"

#include <cctype>

#include "base/concat.h"

namespace brigada {
namespace {

constexpr std::string_view kEnvironPrefix = "os.environ/";
constexpr size_t kExcerpt = 60;

std::string excerpt(const std::string& text) {
    if (text.size() <= kExcerpt) return text;
    size_t cut = kExcerpt;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80)
        --cut;
    return text.substr(0, cut) + "...";
}

bool is_plain_key(std::string_view key) {
    return !key.empty() && std::ranges::all_of(key, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '/';
    });
}

}  // namespace

// --- notes --------------------------------------------------------------------------------------

std::string YamlValue::note(std::string_view text) const {
    std::string out = scope_->file;
    if (const YAML::Mark mark = node_.Mark(); !mark.is_null())
        out += concat(":", mark.line + 1, ":", mark.column + 1);
    return concat(out, ": ", path_, path_.empty() ? "" : ": ", text);
}

std::string YamlValue::shown() const {
    if (node_.IsNull()) return "nothing";
    if (node_.IsSequence()) return "a list";
    if (node_.IsMap()) return "a mapping";
    if (is_from_environ()) return "what " + node_.Scalar() + " holds";
    return concat("\"", excerpt(node_.Scalar()), "\"");
}

void YamlValue::must_be(std::string_view expected) const {
    error(concat("must be ", expected, "; got ", shown()));
}

std::string YamlValue::path_of(std::string_view key) const {
    if (!is_plain_key(key)) return concat(path_, "[\"", excerpt(std::string(key)), "\"]");
    return concat(path_, path_.empty() ? "" : ".", key);
}

YamlValue YamlValue::child(YAML::Node node, std::string path) const {
    return {*scope_, std::move(node), std::move(path)};
}

// --- lists and mappings -------------------------------------------------------------------------

std::vector<YamlValue> YamlValue::items() const {
    std::vector<YamlValue> out;
    if (!node_.IsSequence()) {
        must_be("a list");
        return out;
    }
    for (const auto& item : node_)
        out.push_back(child(item, concat(path_, "[", out.size(), "]")));
    return out;
}

std::vector<std::pair<std::string, YamlValue>> YamlValue::entries() const {
    std::vector<std::pair<std::string, YamlValue>> out;
    for (const Entry& entry : map_entries().list)
        out.emplace_back(entry.key, child(entry.value, path_of(entry.key)));
    return out;
}

const YamlValue::Entry* YamlValue::Entries::find(std::string_view key) const {
    const auto place = at.find(std::string(key));
    return place == at.end() ? nullptr : &list[place->second];
}

/// Own keys first, then what "<<" merges in and the mapping does not say itself (YAML 1.1).
YamlValue::Entries YamlValue::map_entries() const {
    Entries out;
    if (!node_.IsMap()) {
        must_be("a mapping");
        return out;
    }
    for (const auto& pair : node_) {
        if (!pair.first.IsScalar())
            child(pair.first, path_).error("a key must be a word, not a list or a mapping");
        else if (pair.first.Scalar() != "<<")
            add_entry(out, {pair.first.Scalar(), pair.first, pair.second});
    }
    for (const auto& pair : node_)
        if (pair.first.IsScalar() && pair.first.Scalar() == "<<") merge(out, pair.second);
    return out;
}

void YamlValue::add_entry(Entries& out, Entry entry) const {
    const auto [place, is_new] = out.at.emplace(entry.key, out.list.size());
    if (is_new) {
        out.list.push_back(std::move(entry));
        return;
    }
    child(entry.key_node, path_of(entry.key)).warn("given twice; the last one counts");
    out.list[place->second] = std::move(entry);
}

void YamlValue::merge(Entries& out, const YAML::Node& merged) const {
    if (merged.IsSequence()) {
        for (const auto& each : merged)
            merge(out, each);
        return;
    }
    for (const Entry& entry : child(merged, path_of("<<")).map_entries().list)
        if (!out.find(entry.key)) add_entry(out, entry);
}

// --- scalars ------------------------------------------------------------------------------------

bool YamlValue::is_from_environ() const {
    return node_.IsScalar() && node_.Scalar().starts_with(kEnvironPrefix);
}

std::optional<std::string> YamlValue::text() const {
    if (!node_.IsScalar()) {
        must_be("a text");
        return std::nullopt;
    }
    const std::string& written = node_.Scalar();
    if (!is_from_environ()) return written;
    const std::string name = written.substr(kEnvironPrefix.size());
    auto value = scope_->environment(name);
    if (!value) error(concat("the environment variable ", name, " is not set"));
    return value;
}

std::optional<std::vector<std::string>> YamlValue::texts() const {
    std::vector<std::string> out;
    if (node_.IsScalar()) {
        auto only = text();
        if (!only) return std::nullopt;
        out.push_back(*std::move(only));
        return out;
    }
    for (const YamlValue& item : items())
        if (auto each = item.text()) out.push_back(*std::move(each));
    return out;
}

}  // namespace brigada
