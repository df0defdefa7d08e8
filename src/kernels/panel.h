// Panel: sixteen rows of a weight matrix, interleaved so that a vector lane is an output row. One
// 64-byte vector holds, for 16 rows, four 8-bit codes, eight 4-bit codes, or one or two floats, so
// AVX-512 takes it whole, AVX2 in two halves, and every output is one chain of sums in one order.
//
// A quantised panel is three arrays, each from a 64-byte boundary:
//   supers  per 256 columns: f16 d[16], then f16 m[16] where the type has mins; super-block types
//   scales  per 32 columns: super-block types: sc[groups][16] then mn[groups][16], a byte each,
//                           others: f16 d[16], then f16 m[16] where the type has mins
//   codes   per 32 columns: 4-bit: 4 vectors; byte i of lane r in vector v: column 4 v + i in the
//                           low nibble, column 16 + 4 v + i in the high one
//                           8-bit: 8 vectors; byte i of lane r in vector v: column 4 v + i
// A float panel is codes only, its columns padded with zeros to a multiple of eight:
//   f32, f16  per column: the 16 rows' values      bf16  per two columns: the 16 rows' pairs
#pragma once

#include <cstddef>
#include <span>

#include "kernels/quant_block.h"

namespace brigada {

inline constexpr size_t kPanelRows = 16;
inline constexpr size_t kGroupCols = 32;  // columns that share an activation scale
inline constexpr size_t kSuperCols = 256;
inline constexpr size_t kFloatColsMultiple = 8;  // four chains of whole bf16 pairs

struct PanelLayout {
    size_t cols = 0;    // columns with padding
    size_t supers = 0;  // byte offsets in the panel
    size_t scales = 0;
    size_t codes = 0;
    size_t bytes = 0;  // of the whole panel; a multiple of 64
};

/// Needs cols > 0 and a multiple of the type's block.
PanelLayout panel_layout(WeightType type, size_t cols);

/// Packs up to 16 consecutive rows of a file into one panel of zeroed bytes; missing rows stay
/// zero.
///   file   [rows][row_bytes(type, cols)]      panel  [layout.bytes]
void pack_panel(WeightType type, const PanelLayout& layout, size_t cols,
                std::span<const std::byte> file, std::span<std::byte> panel);

}  // namespace brigada
