// YamlFields: which keys of a mapping were asked for, and what is said of the others.
#include "base/concat.h"
#include "base/joined.h"
#include "gateway/config/near_key.h"
#include "gateway/config/yaml_reader.h"

namespace brigada {
namespace {

std::string meant(std::string_view written, const std::vector<std::string>& known) {
    const std::string near = nearest_key(written, known);
    return near.empty() ? "" : concat("; did you mean \"", near, "\"?");
}

}  // namespace

YamlFields::YamlFields(const YamlValue& value) : value_(value), entries_(value.map_entries()) {}

std::optional<YamlValue> YamlFields::find(std::string_view name) {
    if (!is_known(name)) known_.emplace_back(name);
    const YamlValue::Entry* entry = entries_.find(name);
    if (!entry || entry->value.IsNull()) return std::nullopt;
    return value_.child(entry->value, value_.path_of(name));
}

std::optional<YamlValue> YamlFields::require(std::string_view name) {
    auto value = find(name);
    if (!value && value_.is_map()) value_.error(concat(name, " is missing"));
    return value;
}

void YamlFields::unused(std::initializer_list<std::string_view> names, std::string_view why) {
    for (const std::string_view name : names) {
        known_.emplace_back(name);
        const YamlValue::Entry* entry = entries_.find(name);
        if (!entry) continue;
        value_.child(entry->key_node, value_.path_of(name)).warn(concat("has no effect: ", why));
    }
}

std::vector<std::string> YamlFields::keys() const {
    std::vector<std::string> out;
    for (const YamlValue::Entry& entry : entries_.list)
        out.push_back(entry.key);
    return out;
}

void YamlFields::finish() {
    size_t unknown = 0;
    for (const YamlValue::Entry& entry : entries_.list) {
        if (is_known(entry.key)) continue;
        if (++unknown > kMaxConfigWarnings) return;  // nobody would read them
        value_.child(entry.key_node, value_.path_of(entry.key))
            .warn(concat("unknown key, ignored", meant(entry.key, known_)));
    }
}

void YamlFields::not_one_of(const YamlValue& value, std::string_view written,
                            const std::vector<std::string>& known) {
    std::string expected = concat("one of ", joined(known));
    const std::string hint = meant(written, known);
    value.error(concat("must be ", expected, "; got ", value.shown(), hint));
}

}  // namespace brigada
