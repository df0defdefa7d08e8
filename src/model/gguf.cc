#include "model/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/concat.h"
#include "model/gguf_parser.h"
#include "model/shown.h"

namespace brigada {

namespace {

constexpr uint64_t kMostParts = 99'999;  // five digits in a part's name

/// "model-00002-of-00003.gguf" as part `number`. A file that is called otherwise is looked for as
/// if it were not: the error then names what was expected.
Path part_path(const Path& path, uint32_t number, uint32_t parts) {
    const std::string ending = fmt::format("-of-{:05}.gguf", parts);
    constexpr size_t kDigits = 6;  // and the dash before them
    std::string name = path.filename().string();
    name = name.ends_with(ending) && name.size() >= ending.size() + kDigits
               ? name.substr(0, name.size() - ending.size() - kDigits)
               : path.stem().string();
    return path.parent_path() / fmt::format("{}-{:05}{}", name, number, ending);
}

std::optional<uint64_t> as_unsigned(const GgufValue& value) {
    if (const auto* n = std::get_if<uint64_t>(&value)) return *n;
    if (const auto* n = std::get_if<int64_t>(&value); n && *n >= 0)
        return static_cast<uint64_t>(*n);
    return std::nullopt;
}

std::optional<int64_t> as_integer(const GgufValue& value) {
    if (const auto* n = std::get_if<int64_t>(&value)) return *n;
    const auto* n = std::get_if<uint64_t>(&value);
    if (n && *n <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        return static_cast<int64_t>(*n);
    return std::nullopt;
}

std::optional<double> as_number(const GgufValue& value) {
    if (const auto* n = std::get_if<double>(&value)) return *n;
    if (const auto* n = std::get_if<uint64_t>(&value)) return static_cast<double>(*n);
    if (const auto* n = std::get_if<int64_t>(&value)) return static_cast<double>(*n);
    return std::nullopt;
}

std::optional<bool> as_boolean(const GgufValue& value) {
    const auto* b = std::get_if<bool>(&value);
    return b ? std::optional(*b) : std::nullopt;
}

/// Every element through `convert`; nullopt when the value is no array of such elements.
template <typename T>
std::optional<std::vector<T>> as_array(const GgufValue& value,
                                       std::optional<T> (*convert)(const GgufValue&)) {
    const auto* array = std::get_if<GgufArray>(&value);
    if (!array || array->element == GgufType::string) return std::nullopt;
    const size_t each = gguf_scalar_bytes(array->element);
    std::vector<T> out;
    out.reserve(array->count);
    for (uint64_t i = 0; i < array->count; ++i) {
        const auto element = convert(gguf_scalar(array->element, array->bytes.data() + i * each));
        if (!element) return std::nullopt;
        out.push_back(*element);
    }
    return out;
}

std::string kind_of(const GgufEntry& entry) {
    const auto* array = std::get_if<GgufArray>(&entry.value);
    if (!array) return concat("of type ", to_string(entry.type));
    return concat("an array of ", array->count, " ", to_string(array->element));
}

}  // namespace

std::string_view to_string(GgufType type) {
    constexpr std::string_view kNames[] = {"u8",      "i8",     "u16",   "i16", "u32", "i32", "f32",
                                           "boolean", "string", "array", "u64", "i64", "f64"};
    return kNames[static_cast<uint32_t>(type)];
}

Result<GgufFile> GgufFile::open(const Path& path) {
    TRY(GgufFile file, open_alone(path));
    TRY(const uint32_t parts, file.parts());
    if (parts <= 1) return file;
    TRY(GgufFile whole, open_alone(part_path(path, 1, parts)));
    for (uint32_t number = 2; number <= parts; ++number) {
        TRY(GgufFile part, open_alone(part_path(path, number, parts)));
        TRY(whole.add(std::move(part)));
    }
    return whole;
}

Result<GgufFile> GgufFile::open_alone(const Path& path) {
    TRY(Mapping mapping, Mapping::open(path));
    TRY(GgufFile file, parse(mapping.bytes(), path.string()));
    file.mappings_.push_back(std::move(mapping));  // the bytes stay where they are
    return file;
}

Result<GgufFile> GgufFile::parse(std::span<const std::byte> bytes, std::string name) {
    TRY(GgufContents contents, parse_gguf(bytes, name));
    GgufFile file;
    file.name_ = std::move(name);
    file.version_ = contents.version;
    file.entries_ = std::move(contents.entries);
    file.tensors_ = std::move(contents.tensors);
    file.entries_by_key_ = std::move(contents.entries_by_key);
    file.tensors_by_name_ = std::move(contents.tensors_by_name);
    return file;
}

Result<uint32_t> GgufFile::parts() const {
    TRY(const auto count, unsigned_integer("split.count"));
    if (count.value_or(1) <= kMostParts) return static_cast<uint32_t>(count.value_or(1));
    return Error{Code::corrupt, concat(name_, ": split.count is ", *count, "; at most ", kMostParts,
                                       " parts are believed")};
}

/// The tensors of another part, and the bytes they lie in.
Result<void> GgufFile::add(GgufFile part) {
    for (const Tensor& tensor : part.tensors_)
        if (this->tensor(tensor.name))
            return Error{Code::corrupt, concat(part.name_, ": tensor ", shown(tensor.name),
                                               " is in ", name_, ", too")};
    for (Tensor& tensor : part.tensors_) {
        tensors_by_name_.push_back(static_cast<uint32_t>(tensors_.size()));
        tensors_.push_back(std::move(tensor));
    }
    std::ranges::sort(tensors_by_name_, {},
                      [this](uint32_t i) -> std::string_view { return tensors_[i].name; });
    std::ranges::move(part.mappings_, std::back_inserter(mappings_));
    return {};
}

const GgufEntry* GgufFile::entry(std::string_view key) const {
    const auto key_of = [this](uint32_t i) { return entries_[i].key; };
    const auto at = std::ranges::lower_bound(entries_by_key_, key, {}, key_of);
    return at != entries_by_key_.end() && key_of(*at) == key ? &entries_[*at] : nullptr;
}

const Tensor* GgufFile::tensor(std::string_view name) const {
    const auto name_of = [this](uint32_t i) -> std::string_view { return tensors_[i].name; };
    const auto at = std::ranges::lower_bound(tensors_by_name_, name, {}, name_of);
    return at != tensors_by_name_.end() && name_of(*at) == name ? &tensors_[*at] : nullptr;
}

Error GgufFile::wrong_kind(const GgufEntry& entry, std::string_view wanted) const {
    return {Code::corrupt, concat(name_, ": ", shown(entry.key), " is ", kind_of(entry), "; ",
                                  wanted, " is needed")};
}

Result<std::optional<uint64_t>> GgufFile::unsigned_integer(std::string_view key) const {
    const GgufEntry* found = entry(key);
    if (!found) return std::optional<uint64_t>();
    const auto value = as_unsigned(found->value);
    if (!value) return wrong_kind(*found, "an integer of 0 or more");
    return value;
}

Result<std::optional<double>> GgufFile::number(std::string_view key) const {
    const GgufEntry* found = entry(key);
    if (!found) return std::optional<double>();
    const auto value = as_number(found->value);
    if (!value) return wrong_kind(*found, "a number");
    return value;
}

Result<std::optional<bool>> GgufFile::boolean(std::string_view key) const {
    const GgufEntry* found = entry(key);
    if (!found) return std::optional<bool>();
    const auto value = as_boolean(found->value);
    if (!value) return wrong_kind(*found, "a boolean");
    return value;
}

Result<std::optional<std::string_view>> GgufFile::string(std::string_view key) const {
    const GgufEntry* found = entry(key);
    if (!found) return std::optional<std::string_view>();
    const auto* value = std::get_if<std::string_view>(&found->value);
    if (!value) return wrong_kind(*found, "a string");
    return std::optional(*value);
}

Result<std::optional<std::vector<std::string_view>>> GgufFile::strings(std::string_view key) const {
    const GgufEntry* found = entry(key);
    if (!found) return std::optional<std::vector<std::string_view>>();
    const auto* array = std::get_if<GgufArray>(&found->value);
    if (!array || array->element != GgufType::string)
        return wrong_kind(*found, "an array of strings");
    return std::optional(gguf_strings(*array));
}

Result<std::optional<std::vector<double>>> GgufFile::numbers(std::string_view key) const {
    const GgufEntry* found = entry(key);
    if (!found) return std::optional<std::vector<double>>();
    auto values = as_array<double>(found->value, as_number);
    if (!values) return wrong_kind(*found, "an array of numbers");
    return values;
}

Result<std::optional<std::vector<int64_t>>> GgufFile::integers(std::string_view key) const {
    const GgufEntry* found = entry(key);
    if (!found) return std::optional<std::vector<int64_t>>();
    auto values = as_array<int64_t>(found->value, as_integer);
    if (!values) return wrong_kind(*found, "an array of integers");
    return values;
}

Result<std::optional<std::vector<bool>>> GgufFile::booleans(std::string_view key) const {
    const GgufEntry* found = entry(key);
    if (!found) return std::optional<std::vector<bool>>();
    auto values = as_array<bool>(found->value, as_boolean);
    if (!values) return wrong_kind(*found, "an array of booleans");
    return values;
}

}  // namespace brigada
