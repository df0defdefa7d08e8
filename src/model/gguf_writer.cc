#include "model/gguf_writer.h"

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/concat.h"
#include "model/quantise.h"

namespace brigada {

namespace {

template <typename T>
void append(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_string(std::string& out, std::string_view text) {
    append<uint64_t>(out, text.size());
    out.append(text);
}

uint64_t round_up(uint64_t n, uint64_t alignment) {
    return (n + alignment - 1) & ~(alignment - 1);
}

Result<void> write_padding(const GgufWriter::Sink& sink, uint64_t bytes) {
    const std::vector<std::byte> zeros(bytes);
    return sink(zeros);
}

Result<void> write_rows(const GgufWriter::Sink& sink, DType dtype, uint64_t rows, uint64_t cols,
                        const GgufWriter::RowMaker& make) {
    std::vector<float> numbers(cols);
    std::vector<std::byte> stored(row_bytes(dtype, cols));
    for (uint64_t row = 0; row < rows; ++row) {
        make(row, numbers);
        quantise_row(dtype, numbers.data(), cols, stored.data());
        TRY(sink(stored));
    }
    return {};
}

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

GgufWriter::GgufWriter(uint32_t alignment) : alignment_(alignment) {
    CHECK(std::has_single_bit(alignment), "alignment ", alignment);
    if (alignment != 32) add_u32("general.alignment", alignment);
}

void GgufWriter::add_key(std::string_view key, GgufType type) {
    append_string(metadata_, key);
    append(metadata_, std::to_underlying(type));
    ++entries_;
}

void GgufWriter::add_array(std::string_view key, GgufType element, uint64_t count) {
    add_key(key, GgufType::array);
    append(metadata_, std::to_underlying(element));
    append(metadata_, count);
}

void GgufWriter::add_u32(std::string_view key, uint32_t value) {
    add_key(key, GgufType::u32);
    append(metadata_, value);
}

void GgufWriter::add_f32(std::string_view key, float value) {
    add_key(key, GgufType::f32);
    append(metadata_, value);
}

void GgufWriter::add_bool(std::string_view key, bool value) {
    add_key(key, GgufType::boolean);
    append<uint8_t>(metadata_, value);
}

void GgufWriter::add_string(std::string_view key, std::string_view value) {
    add_key(key, GgufType::string);
    append_string(metadata_, value);
}

void GgufWriter::add_strings(std::string_view key, std::span<const std::string> values) {
    add_array(key, GgufType::string, values.size());
    for (const std::string& value : values)
        append_string(metadata_, value);
}

void GgufWriter::add_i32s(std::string_view key, std::span<const int32_t> values) {
    add_array(key, GgufType::i32, values.size());
    for (const int32_t value : values)
        append(metadata_, value);
}

void GgufWriter::add_f32s(std::string_view key, std::span<const float> values) {
    add_array(key, GgufType::f32, values.size());
    for (const float value : values)
        append(metadata_, value);
}

void GgufWriter::add_tensor(std::string name, DType dtype, std::vector<uint64_t> shape,
                            std::vector<std::byte> data) {
    add_pending({std::move(name), dtype, std::move(shape), std::move(data), {}, 0});
    CHECK(tensors_.back().data.size() == tensors_.back().bytes, tensors_.back().name);
}

void GgufWriter::add_tensor(std::string name, DType dtype, std::vector<uint64_t> shape,
                            RowMaker rows) {
    CHECK(can_quantise(dtype), name, " as ", to_string(dtype));
    add_pending({std::move(name), dtype, std::move(shape), {}, std::move(rows), 0});
}

void GgufWriter::add_pending(PendingTensor tensor) {
    const Tensor as_read{tensor.name, tensor.dtype, tensor.shape, {}};
    tensor.bytes = as_read.rows() * row_bytes(tensor.dtype, as_read.cols());
    tensors_.push_back(std::move(tensor));
}

std::string GgufWriter::header() const {
    std::string out = "GGUF";
    append<uint32_t>(out, 3);
    append<uint64_t>(out, tensors_.size());
    append(out, entries_);
    out += metadata_;
    uint64_t offset = 0;
    for (const PendingTensor& tensor : tensors_) {
        append_string(out, tensor.name);
        append(out, static_cast<uint32_t>(tensor.shape.size()));
        for (size_t i = tensor.shape.size(); i-- > 0;)
            append(out, tensor.shape[i]);
        append(out, ggml_type(tensor.dtype));
        append(out, offset);
        offset = round_up(offset + tensor.bytes, alignment_);
    }
    out.resize(round_up(out.size(), alignment_), '\0');
    return out;
}

Result<void> GgufWriter::write(const Sink& sink) const {
    const std::string head = header();
    TRY(sink(std::as_bytes(std::span(head))));
    for (const PendingTensor& tensor : tensors_) {
        const Tensor as_read{tensor.name, tensor.dtype, tensor.shape, {}};
        if (tensor.rows)
            TRY(write_rows(sink, tensor.dtype, as_read.rows(), as_read.cols(), tensor.rows));
        else
            TRY(sink(tensor.data));
        TRY(write_padding(sink, round_up(tensor.bytes, alignment_) - tensor.bytes));
    }
    return {};
}

Result<void> GgufWriter::write(const Path& path) const {
    std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "wb"));
    const auto failed = [&path] {
        return Error{Code::io, concat(path.string(), ": cannot write: ", std::strerror(errno))};
    };
    if (!file) return failed();
    TRY(write([&](std::span<const std::byte> bytes) -> Result<void> {
        if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) return failed();
        return {};
    }));
    if (std::fclose(file.release()) != 0) return failed();
    return {};
}

std::vector<std::byte> GgufWriter::to_bytes() const {
    std::vector<std::byte> out;
    const auto done = write([&out](std::span<const std::byte> bytes) -> Result<void> {
        out.insert(out.end(), bytes.begin(), bytes.end());
        return {};
    });
    CHECK(done.ok());
    return out;
}

uint64_t GgufWriter::file_bytes() const {
    uint64_t bytes = header().size();
    for (const PendingTensor& tensor : tensors_)
        bytes += round_up(tensor.bytes, alignment_);
    return bytes;
}

}  // namespace brigada
