#include "model/safetensors.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/concat.h"
#include "model/byte_reader.h"
#include "model/optional_file.h"
#include "model/shown.h"

namespace brigada {

namespace {

/// Headers have tens of thousands of keys: here nlohmann's sorted objects, not the ordered ones of
/// base/json.h, whose every insertion searches all keys before it.
using HeaderJson = nlohmann::json;

constexpr size_t kMaxDimensions = 8;
constexpr uint64_t kMaxIndex = 64 << 20;  // bytes of model.safetensors.index.json

/// A JSON object none of whose own keys occurs twice.
Result<HeaderJson> parse_object(std::string_view text, std::string_view what) {
    size_t keys = 0;
    const auto count_keys = [&keys](int depth, HeaderJson::parse_event_t event, HeaderJson&) {
        if (depth == 1 && event == HeaderJson::parse_event_t::key) ++keys;
        return depth <= 8;  // deeper than any header goes: dropped
    };
    HeaderJson json;
    try {
        json = HeaderJson::parse(text, count_keys);
    } catch (const HeaderJson::parse_error& e) {
        return Error{Code::corrupt,
                     concat(what, ": not valid JSON at byte ", e.byte, " of ", text.size())};
    } catch (const HeaderJson::exception&) {
        return Error{Code::corrupt, concat(what, ": JSON with a number out of range")};
    }
    if (!json.is_object()) return Error{Code::corrupt, concat(what, ": not a JSON object")};
    if (json.size() != keys) return Error{Code::corrupt, concat(what, ": a key occurs twice")};
    return json;
}

/// An array of unsigned integers, at most `most` of them; nullopt when it is anything else.
std::optional<std::vector<uint64_t>> integers(const HeaderJson& object, const char* key,
                                              size_t most) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array() || found->size() > most) return std::nullopt;
    std::vector<uint64_t> out;
    for (const HeaderJson& n : *found) {
        if (!n.is_number_unsigned()) return std::nullopt;
        out.push_back(n.get<uint64_t>());
    }
    return out;
}

/// One entry of the header, checked by itself.
struct Entry {
    std::string dtype;
    std::vector<uint64_t> shape;
    uint64_t begin = 0, end = 0;  // of its bytes in the data
};

Result<Entry> read_entry(const HeaderJson& json, std::string_view what, uint64_t data_bytes) {
    const auto corrupt = [&](const auto&... values) {
        return Error{Code::corrupt, concat(what, " ", values...)};
    };
    if (!json.is_object()) return corrupt("is no object");
    const auto dtype = json.find("dtype");
    if (dtype == json.end() || !dtype->is_string()) return corrupt("has no dtype");
    const auto shape = integers(json, "shape", kMaxDimensions);
    if (!shape) return corrupt("has no shape of at most ", kMaxDimensions, " dimensions");
    const auto offsets = integers(json, "data_offsets", 2);
    if (!offsets || offsets->size() != 2) return corrupt("has no data_offsets of two numbers");
    const uint64_t begin = (*offsets)[0], end = (*offsets)[1];
    if (begin > end || end > data_bytes)
        return corrupt("has bytes ", begin, " to ", end, " of ", data_bytes, " bytes of data");
    return Entry{dtype->get<std::string>(), *shape, begin, end};
}

/// Holds the bytes an entry claims against its shape.
Result<Tensor> make_tensor(std::string_view name, const Entry& entry, DType dtype,
                           std::span<const std::byte> data, std::string_view what) {
    uint64_t bytes = block_bytes(dtype);
    for (const uint64_t dimension : entry.shape)
        if (__builtin_mul_overflow(bytes, dimension, &bytes))
            return Error{Code::corrupt, concat(what, " of shape ", shape_text(entry.shape),
                                               " has more bytes than fit in memory")};
    if (bytes != entry.end - entry.begin)
        return Error{
            Code::corrupt,
            concat(what, " of type ", entry.dtype, " and shape ", shape_text(entry.shape),
                   " needs ", bytes, " bytes; its data_offsets span ", entry.end - entry.begin)};
    return Tensor{std::string(name), dtype, entry.shape, data.subspan(entry.begin, bytes)};
}

/// Refuses tensors that share bytes.
Result<void> refuse_overlap(std::span<const Tensor> tensors, std::string_view name) {
    std::vector<const Tensor*> order;
    for (const Tensor& tensor : tensors)
        if (!tensor.data.empty()) order.push_back(&tensor);
    std::ranges::sort(order, {}, [](const Tensor* t) { return t->data.data(); });
    for (size_t i = 1; i < order.size(); ++i)
        if (order[i - 1]->data.data() + order[i - 1]->data.size() > order[i]->data.data())
            return Error{Code::corrupt, concat(name, ": tensors ", shown(order[i - 1]->name),
                                               " and ", shown(order[i]->name), " overlap")};
    return {};
}

/// A file's name without any path: an index must not lead out of its directory.
bool is_plain_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
           name.find('\0') == name.npos;
}

/// Which tensors the index puts into which file.
using Shards = std::map<std::string, std::vector<std::string>>;

Result<Shards> read_index(const Path& path) {
    TRY(std::string text, read_file(path, kMaxIndex));
    TRY(HeaderJson json, parse_object(text, path.string()));
    const auto map = json.find("weight_map");
    if (map == json.end() || !map->is_object())
        return Error{Code::corrupt, concat(path.string(), ": has no object \"weight_map\"")};
    Shards shards;
    for (const auto& [tensor, file] : map->items()) {
        if (!file.is_string() || !is_plain_name(file.get_ref<const std::string&>()))
            return Error{Code::corrupt, concat(path.string(), ": the file of ", shown(tensor),
                                               " is ", shown(file.dump()), ", no file name")};
        shards[file.get<std::string>()].push_back(tensor);
    }
    return shards;
}

Result<void> check_holds(const SafetensorsFile& file, std::span<const std::string> tensors) {
    for (const std::string& name : tensors) {
        const bool held = file.tensor(name) ||
                          std::ranges::binary_search(file.unread(), name, {}, &UnreadTensor::name);
        if (!held)
            return Error{Code::corrupt, concat(file.name(), ": has no tensor ", shown(name),
                                               ", which the index puts there")};
    }
    return {};
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::open(const Path& path) {
    TRY(Mapping mapping, Mapping::open(path));
    TRY(SafetensorsFile file, parse(mapping.bytes(), path.string()));
    file.mapping_ = std::move(mapping);  // the bytes stay where they are
    return file;
}

Result<SafetensorsFile> SafetensorsFile::parse(std::span<const std::byte> bytes, std::string name) {
    ByteReader reader(bytes, name);
    TRY(uint64_t header_bytes, reader.number<uint64_t>("the header's length"));
    if (header_bytes > kMaxSafetensorsHeader)
        return Error{Code::corrupt, concat(name, ": a header of ", header_bytes, " bytes; at most ",
                                           kMaxSafetensorsHeader, " are read")};
    TRY(auto header, reader.take(header_bytes, "the header"));
    TRY(auto data, reader.take(reader.remaining(), "the data"));
    const std::string_view text(reinterpret_cast<const char*>(header.data()), header.size());
    TRY(HeaderJson json, parse_object(text, concat(name, ": the header")));

    SafetensorsFile file;
    for (const auto& [key, value] : json.items()) {
        if (key == "__metadata__") continue;
        const std::string what = concat(name, ": tensor ", shown(key));
        TRY(Entry entry, read_entry(value, what, data.size()));
        const auto dtype = dtype_from_safetensors(entry.dtype);
        if (!dtype.ok()) {
            file.unread_.push_back({key, entry.dtype, entry.end - entry.begin});
            continue;
        }
        TRY(Tensor tensor, make_tensor(key, entry, *dtype, data, what));
        file.tensors_.push_back(std::move(tensor));
    }
    TRY(refuse_overlap(file.tensors_, name));
    file.name_ = std::move(name);
    return file;
}

const Tensor* SafetensorsFile::tensor(std::string_view name) const {
    const auto at = std::ranges::lower_bound(tensors_, name, {}, &Tensor::name);
    return at != tensors_.end() && at->name == name ? &*at : nullptr;
}

Result<std::vector<SafetensorsFile>> open_safetensors(const Path& directory) {
    std::vector<SafetensorsFile> files;
    const Path index = directory / "model.safetensors.index.json";
    if (is_there(index)) {
        TRY(Shards shards, read_index(index));
        for (const auto& [name, tensors] : shards) {
            TRY(SafetensorsFile file, SafetensorsFile::open(directory / name));
            TRY(check_holds(file, tensors));
            files.push_back(std::move(file));
        }
        return files;
    }
    const Path single = directory / "model.safetensors";
    if (!is_there(single))
        return Error{Code::not_found, concat(directory.string(),
                                             ": has neither model.safetensors nor "
                                             "model.safetensors.index.json")};
    TRY(SafetensorsFile file, SafetensorsFile::open(single));
    files.push_back(std::move(file));
    return files;
}

}  // namespace brigada
