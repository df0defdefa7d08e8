#include "model/gguf_parser.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/concat.h"
#include "model/byte_reader.h"
#include "model/shown.h"

namespace brigada {

namespace {

constexpr uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr uint32_t kOldest = 2, kNewest = 3;
constexpr uint64_t kDefaultAlignment = 32;
constexpr uint32_t kMaxDimensions = 4;

// The least that one of these takes in a file: what a count may claim is the bytes left over this.
constexpr uint64_t kLeastEntry = 8 + 4 + 1;           // empty key, type, one byte
constexpr uint64_t kLeastTensor = 8 + 4 + 8 + 4 + 8;  // empty name, one dimension, type, offset

template <typename T>
GgufValue widen(const std::byte* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<double>(value);
    else if constexpr (std::is_signed_v<T>)
        return static_cast<int64_t>(value);
    else
        return static_cast<uint64_t>(value);
}

bool is_type(uint32_t number) {
    return number <= static_cast<uint32_t>(GgufType::f64);
}

class Parser {
  public:
    Parser(std::span<const std::byte> bytes, std::string_view name)
        : bytes_(bytes), name_(name), reader_(bytes, name) {}

    Result<GgufContents> run() {
        TRY(read_header());
        TRY(read_entries());
        TRY(index_entries());
        TRY(read_alignment());
        TRY(read_tensors());
        TRY(index_tensors());
        TRY(place_tensors());
        TRY(refuse_overlap());
        return std::move(out_);
    }

  private:
    template <typename... Values>
    Error corrupt(const Values&... values) const {
        return {Code::corrupt, concat(name_, ": ", values...)};
    }
    template <typename... Values>
    Error unsupported(const Values&... values) const {
        return {Code::unsupported, concat(name_, ": ", values...)};
    }

    Result<void> read_header() {
        TRY(uint32_t magic, reader_.number<uint32_t>("the magic number"));
        if (magic != kMagic) return corrupt("not a GGUF file: it does not begin with \"GGUF\"");
        TRY(out_.version, reader_.number<uint32_t>("the version"));
        if (std::byteswap(out_.version) >= 1 && std::byteswap(out_.version) <= kNewest)
            return unsupported("a big-endian GGUF file; only little-endian ones are read");
        if (out_.version < kOldest || out_.version > kNewest)
            return unsupported("GGUF version ", out_.version, "; versions ", kOldest, " and ",
                               kNewest, " are read");
        TRY(tensor_count_, reader_.number<uint64_t>("the number of tensors"));
        TRY(entry_count_, reader_.number<uint64_t>("the number of metadata entries"));
        TRY(check_count(entry_count_, kLeastEntry, "metadata entries"));
        return check_count(tensor_count_, kLeastTensor, "tensors");
    }

    Result<void> check_count(uint64_t count, uint64_t least_bytes, std::string_view what) const {
        const uint64_t most = std::min<uint64_t>(reader_.remaining() / least_bytes,
                                                 std::numeric_limits<uint32_t>::max());
        if (count <= most) return {};
        return corrupt("says it has ", count, " ", what, "; its ", bytes_.size(),
                       " bytes have room for ", most);
    }

    // --- metadata -----------------------------------------------------------------------------

    Result<void> read_entries() {
        out_.entries.reserve(entry_count_);
        for (uint64_t i = 0; i < entry_count_; ++i) {
            TRY(GgufEntry entry, read_entry(i));
            out_.entries.push_back(std::move(entry));
        }
        return {};
    }

    Result<GgufEntry> read_entry(uint64_t index) {
        GgufEntry entry;
        TRY(entry.key, reader_.string(concat("key ", index)));
        TRY(entry.type, read_type(entry.key));
        TRY(entry.value, read_value(entry.type, entry.key));
        return entry;
    }

    Result<GgufType> read_type(std::string_view key) {
        TRY(uint32_t number, reader_.number<uint32_t>(concat("the type of ", shown(key))));
        if (!is_type(number))
            return corrupt("the value of ", shown(key), " has type ", number, "; GGUF has 0 to 12");
        return static_cast<GgufType>(number);
    }

    Result<GgufValue> read_value(GgufType type, std::string_view key) {
        if (type == GgufType::array) return read_array(key);
        if (type == GgufType::string) {
            TRY(std::string_view text, reader_.string(shown(key)));
            return GgufValue(text);
        }
        TRY(auto bytes, reader_.take(gguf_scalar_bytes(type), shown(key)));
        if (type == GgufType::boolean && static_cast<uint8_t>(bytes[0]) > 1)
            return corrupt("the boolean ", shown(key), " is ", static_cast<int>(bytes[0]),
                           "; 0 and 1 are booleans");
        return gguf_scalar(type, bytes.data());
    }

    Result<GgufValue> read_array(std::string_view key) {
        GgufArray array;
        TRY(array.element, read_type(key));
        TRY(array.count, reader_.number<uint64_t>(concat("the length of ", shown(key))));
        if (array.element == GgufType::array)
            return unsupported(shown(key), " is an array of arrays, which is not read here");
        const size_t begin = reader_.offset();
        if (array.element == GgufType::string) {
            TRY(skip_strings(array.count, key));
        } else {
            const size_t each = gguf_scalar_bytes(array.element);
            if (array.count > reader_.remaining() / each)
                return corrupt("the array ", shown(key), " says it has ", array.count,
                               " elements of ", each, " bytes; the file has ", reader_.remaining(),
                               " bytes more");
            TRY(reader_.take(array.count * each, shown(key)));
        }
        array.bytes = bytes_.subspan(begin, reader_.offset() - begin);
        return GgufValue(array);
    }

    Result<void> skip_strings(uint64_t count, std::string_view key) {
        if (count > reader_.remaining() / sizeof(uint64_t))
            return corrupt("the array ", shown(key), " says it has ", count,
                           " strings; the file has ", reader_.remaining(), " bytes more");
        for (uint64_t i = 0; i < count; ++i) {
            // The message is made only when it is needed: vocabularies have 150,000 strings.
            uint64_t length = std::numeric_limits<uint64_t>::max();
            if (reader_.remaining() >= sizeof length) length = *reader_.number<uint64_t>("length");
            if (length > reader_.remaining())
                return corrupt("string ", i, " of ", shown(key), " runs past the end of the file");
            TRY(reader_.take(length, "string"));
        }
        return {};
    }

    Result<void> index_entries() {
        TRY(out_.entries_by_key, sorted_unique(out_.entries.size(), "metadata key",
                                               [this](uint32_t i) { return out_.entries[i].key; }));
        return {};
    }

    /// Indices 0..count-1 in the order of their names; an error when two have the same.
    template <typename NameOf>
    Result<std::vector<uint32_t>> sorted_unique(size_t count, std::string_view what,
                                                NameOf name_of) {
        std::vector<uint32_t> order(count);
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::sort(order, {}, name_of);
        const auto twin = std::ranges::adjacent_find(order, {}, name_of);
        if (twin != order.end())
            return corrupt("the ", what, " ", shown(name_of(*twin)), " occurs twice");
        return order;
    }

    const GgufEntry* find_entry(std::string_view key) const {
        const auto key_of = [this](uint32_t i) { return out_.entries[i].key; };
        const auto at = std::ranges::lower_bound(out_.entries_by_key, key, {}, key_of);
        return at != out_.entries_by_key.end() && key_of(*at) == key ? &out_.entries[*at] : nullptr;
    }

    Result<void> read_alignment() {
        const GgufEntry* entry = find_entry("general.alignment");
        if (!entry) return {};
        const auto* value = std::get_if<uint64_t>(&entry->value);
        if (!value || !std::has_single_bit(*value) || *value > (uint64_t{1} << 31))
            return corrupt("general.alignment is ", value ? concat(*value) : "no unsigned number",
                           "; a power of two is needed");
        alignment_ = *value;
        return {};
    }

    // --- tensors ------------------------------------------------------------------------------

    Result<void> read_tensors() {
        TRY(check_count(tensor_count_, kLeastTensor, "tensors"));
        out_.tensors.reserve(tensor_count_);
        offsets_.reserve(tensor_count_);
        for (uint64_t i = 0; i < tensor_count_; ++i)
            TRY(read_tensor(i));
        return {};
    }

    Result<void> read_tensor(uint64_t index) {
        Tensor tensor;
        TRY(std::string_view name, reader_.string(concat("the name of tensor ", index)));
        tensor.name = name;
        TRY(tensor.shape, read_shape(name));
        TRY(uint32_t type, reader_.number<uint32_t>(concat("the type of ", shown(name))));
        auto dtype = dtype_from_ggml(type);
        if (!dtype.ok())
            return std::move(dtype).error().in(concat(name_, ": tensor ", shown(name)));
        tensor.dtype = *dtype;
        TRY(uint64_t offset, reader_.number<uint64_t>(concat("the offset of ", shown(name))));
        if (offset % alignment_ != 0)
            return corrupt("tensor ", shown(name), " begins at offset ", offset,
                           ", no multiple of the alignment ", alignment_);
        out_.tensors.push_back(std::move(tensor));
        offsets_.push_back(offset);
        return {};
    }

    Result<std::vector<uint64_t>> read_shape(std::string_view name) {
        TRY(uint32_t dimensions, reader_.number<uint32_t>(concat("the rank of ", shown(name))));
        if (dimensions == 0 || dimensions > kMaxDimensions)
            return corrupt("tensor ", shown(name), " has ", dimensions, " dimensions; 1 to ",
                           kMaxDimensions, " are possible");
        std::vector<uint64_t> shape(dimensions);
        for (uint64_t& dimension : shape) {
            TRY(dimension, reader_.number<uint64_t>(concat("the shape of ", shown(name))));
            if (dimension == 0) return corrupt("tensor ", shown(name), " has a dimension of 0");
        }
        std::ranges::reverse(shape);  // the file has the fastest first
        return shape;
    }

    Result<void> index_tensors() {
        TRY(out_.tensors_by_name,
            sorted_unique(out_.tensors.size(), "tensor name",
                          [this](uint32_t i) -> std::string_view { return out_.tensors[i].name; }));
        return {};
    }

    Result<void> place_tensors() {
        if (out_.tensors.empty()) return {};
        const uint64_t padding = (alignment_ - reader_.offset() % alignment_) % alignment_;
        if (padding > reader_.remaining())
            return corrupt("ends at byte ", bytes_.size(), ", before the data of its ",
                           out_.tensors.size(), " tensors");
        const auto data = bytes_.subspan(reader_.offset() + padding);
        for (size_t i = 0; i < out_.tensors.size(); ++i) {
            TRY(uint64_t bytes, tensor_bytes(out_.tensors[i]));
            if (bytes > data.size() || offsets_[i] > data.size() - bytes)
                return corrupt("tensor ", shown(out_.tensors[i].name), " of ", bytes,
                               " bytes at offset ", offsets_[i], " runs past the ", data.size(),
                               " bytes of data");
            out_.tensors[i].data = data.subspan(offsets_[i], bytes);
        }
        return {};
    }

    Result<uint64_t> tensor_bytes(const Tensor& tensor) const {
        uint64_t elements = 1;
        for (uint64_t dimension : tensor.shape)
            if (__builtin_mul_overflow(elements, dimension, &elements) || elements > INT64_MAX)
                return corrupt("tensor ", shown(tensor.name), " of shape ",
                               shape_text(tensor.shape), " has more numbers than fit in memory");
        const uint64_t block = block_elements(tensor.dtype);
        if (tensor.cols() % block != 0)
            return corrupt("tensor ", shown(tensor.name), " has rows of ", tensor.cols(), "; ",
                           to_string(tensor.dtype), " needs a multiple of ", block);
        uint64_t bytes = 0;
        if (__builtin_mul_overflow(elements / block, block_bytes(tensor.dtype), &bytes))
            return corrupt("tensor ", shown(tensor.name), " of shape ", shape_text(tensor.shape),
                           " has more bytes than fit in memory");
        return bytes;
    }

    Result<void> refuse_overlap() const {
        std::vector<uint32_t> order(out_.tensors.size());
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::sort(order, {}, [this](uint32_t i) { return offsets_[i]; });
        for (size_t i = 1; i < order.size(); ++i) {
            const uint32_t before = order[i - 1], after = order[i];
            if (offsets_[before] + out_.tensors[before].data.size() > offsets_[after])
                return corrupt("tensors ", shown(out_.tensors[before].name), " and ",
                               shown(out_.tensors[after].name), " overlap at offset ",
                               offsets_[after]);
        }
        return {};
    }

    std::span<const std::byte> bytes_;
    std::string_view name_;
    ByteReader reader_;
    GgufContents out_;
    uint64_t tensor_count_ = 0;
    uint64_t entry_count_ = 0;
    uint64_t alignment_ = kDefaultAlignment;
    std::vector<uint64_t> offsets_;  // of tensors, from the beginning of the data
};

}  // namespace

Result<GgufContents> parse_gguf(std::span<const std::byte> bytes, std::string_view name) {
    return Parser(bytes, name).run();
}

std::vector<std::string_view> gguf_strings(const GgufArray& array) {
    CHECK(array.element == GgufType::string);
    ByteReader reader(array.bytes, "array");
    std::vector<std::string_view> out;
    out.reserve(array.count);
    for (uint64_t i = 0; i < array.count; ++i)
        out.push_back(*reader.string("string"));
    return out;
}

GgufValue gguf_scalar(GgufType type, const std::byte* bytes) {
    switch (type) {
        case GgufType::u8:
            return widen<uint8_t>(bytes);
        case GgufType::i8:
            return widen<int8_t>(bytes);
        case GgufType::u16:
            return widen<uint16_t>(bytes);
        case GgufType::i16:
            return widen<int16_t>(bytes);
        case GgufType::u32:
            return widen<uint32_t>(bytes);
        case GgufType::i32:
            return widen<int32_t>(bytes);
        case GgufType::f32:
            return widen<float>(bytes);
        case GgufType::boolean:
            return *bytes != std::byte{0};
        case GgufType::u64:
            return widen<uint64_t>(bytes);
        case GgufType::i64:
            return widen<int64_t>(bytes);
        case GgufType::f64:
            return widen<double>(bytes);
        case GgufType::string:
        case GgufType::array:
            break;
    }
    CHECK(false, "a scalar of type ", to_string(type));
    return {};
}

size_t gguf_scalar_bytes(GgufType type) {
    switch (type) {
        case GgufType::u8:
        case GgufType::i8:
        case GgufType::boolean:
            return 1;
        case GgufType::u16:
        case GgufType::i16:
            return 2;
        case GgufType::u32:
        case GgufType::i32:
        case GgufType::f32:
            return 4;
        case GgufType::u64:
        case GgufType::i64:
        case GgufType::f64:
            return 8;
        case GgufType::string:
        case GgufType::array:
            break;
    }
    return 0;
}

}  // namespace brigada
