#include "kernels/panel.h"

#include <cstring>

#include "base/half.h"

namespace brigada {
namespace {

constexpr size_t round_up(size_t value, size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/// Bytes of the three arrays of a quantised panel, per super-block or group.
struct QuantSizes {
    size_t super_bytes;  // per 256 columns
    size_t scale_bytes;  // per 32 columns
    size_t code_bytes;   // per 32 columns
    size_t min_scales;   // where mins start inside the scales of 32 columns
};

QuantSizes quant_sizes(const QuantTraits& traits) {
    const size_t parts = traits.has_min ? 2 : 1;
    const size_t groups = kGroupCols / static_cast<size_t>(traits.group_cols);
    const size_t scales = traits.is_super ? groups * kPanelRows : 2 * kPanelRows;
    return {.super_bytes = traits.is_super ? parts * 2 * kPanelRows : 0,
            .scale_bytes = parts * scales,
            .code_bytes = kGroupCols * kPanelRows * static_cast<size_t>(traits.code_bits) / 8,
            .min_scales = scales};
}

void put_u16(std::byte* to, uint16_t value) {
    std::memcpy(to, &value, 2);
}

/// Where the code of column c (of 32) of a row lies, and by how much it is shifted.
struct CodePlace {
    size_t byte;
    int shift;
};

CodePlace code_place(int code_bits, size_t c, size_t row) {
    const size_t in_vector = code_bits == 4 ? c % 16 : c;
    return {in_vector / 4 * 64 + row * 4 + in_vector % 4, code_bits == 4 && c >= 16 ? 4 : 0};
}

/// Writes one block of one row. `col` is the block's first column.
void pack_block(const QuantTraits& traits, const PanelLayout& layout, const QuantBlock& block,
                size_t block_cols, size_t col, size_t row, std::byte* panel) {
    const QuantSizes sizes = quant_sizes(traits);
    if (traits.is_super) {
        std::byte* super = panel + layout.supers + col / kSuperCols * sizes.super_bytes;
        put_u16(super + row * 2, block.d);
        if (traits.has_min) put_u16(super + 2 * kPanelRows + row * 2, block.m);
    }
    const size_t groups = kGroupCols / static_cast<size_t>(traits.group_cols);
    for (size_t g = 0; g < block_cols / kGroupCols; ++g) {
        const size_t group = col / kGroupCols + g;
        std::byte* scales = panel + layout.scales + group * sizes.scale_bytes;
        if (traits.is_super) {
            for (size_t s = 0; s < groups; ++s) {
                scales[s * kPanelRows + row] = std::byte{block.scales[g * groups + s]};
                if (traits.has_min)
                    scales[sizes.min_scales + s * kPanelRows + row] =
                        std::byte{block.mins[g * groups + s]};
            }
        } else {
            put_u16(scales + row * 2, block.d);
            if (traits.has_min) put_u16(scales + sizes.min_scales + row * 2, block.m);
        }
        std::byte* codes = panel + layout.codes + group * sizes.code_bytes;
        for (size_t c = 0; c < kGroupCols; ++c) {
            const CodePlace place = code_place(traits.code_bits, c, row);
            codes[place.byte] |= std::byte{block.codes[g * kGroupCols + c]} << place.shift;
        }
    }
}

void pack_quantised_row(WeightType type, const PanelLayout& layout, std::span<const std::byte> file,
                        size_t row, std::byte* panel) {
    const BlockShape shape = block_shape(type);
    const QuantTraits traits = quant_traits(type);
    for (size_t b = 0; b * shape.bytes < file.size(); ++b)
        pack_block(traits, layout, read_block(type, file.data() + b * shape.bytes), shape.cols,
                   b * shape.cols, row, panel);
}

/// Where a float panel keeps column c of a row.
size_t float_place(WeightType type, size_t c, size_t row) {
    if (type == WeightType::f32) return (c * kPanelRows + row) * 4;
    if (type == WeightType::f16) return (c * kPanelRows + row) * 2;
    return (c / 2 * kPanelRows + row) * 4 + c % 2 * 2;
}

void pack_float_row(WeightType type, std::span<const std::byte> file, size_t row,
                    std::byte* panel) {
    const size_t size = block_shape(type).bytes;
    for (size_t c = 0; c * size < file.size(); ++c)
        std::memcpy(panel + float_place(type, c, row), file.data() + c * size, size);
}

}  // namespace

PanelLayout panel_layout(WeightType type, size_t cols) {
    CHECK(cols > 0 && cols % block_shape(type).cols == 0, cols, " ", to_string(type), " columns");
    PanelLayout layout;
    if (!is_quantised(type)) {
        layout.cols = round_up(cols, kFloatColsMultiple);
        layout.bytes = layout.cols * kPanelRows * block_shape(type).bytes;
        return layout;
    }
    const QuantSizes sizes = quant_sizes(quant_traits(type));
    const size_t groups = cols / kGroupCols;
    layout.cols = cols;
    layout.scales = round_up(cols / kSuperCols * sizes.super_bytes, 64);
    layout.codes = layout.scales + round_up(groups * sizes.scale_bytes, 64);
    layout.bytes = layout.codes + groups * sizes.code_bytes;
    return layout;
}

void pack_panel(WeightType type, const PanelLayout& layout, size_t cols,
                std::span<const std::byte> file, std::span<std::byte> panel) {
    const BlockShape shape = block_shape(type);
    const size_t row_size = cols / shape.cols * shape.bytes;
    CHECK(panel.size() == layout.bytes && file.size() % row_size == 0 &&
              file.size() / row_size <= kPanelRows,
          file.size(), " bytes into a panel of ", panel.size());
    for (size_t row = 0; row * row_size < file.size(); ++row) {
        const auto bytes = file.subspan(row * row_size, row_size);
        if (is_quantised(type))
            pack_quantised_row(type, layout, bytes, row, panel.data());
        else
            pack_float_row(type, bytes, row, panel.data());
    }
}

}  // namespace brigada
