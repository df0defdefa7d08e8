#include "kernels/panel.h"

#include <vector>

#include "kernels/matmul_kernels.h"
#include "kernels/random_weights.h"

namespace brigada {
namespace {

std::vector<size_t> some_cols(WeightType type) {
    const size_t block = block_shape(type).cols;
    if (block == 1) return {1, 7, 8, 172};
    return {block, 3 * block};
}

TEST(Panel, gives_back_the_rows_it_was_packed_from) {
    Rng rng(1);
    const MatmulKernels& kernels = matmul_kernels(Isa::portable);
    for (const WeightType type : kAllWeightTypes)
        for (const size_t rows : {1, 15, 16}) {
            if (!is_quantised(type)) continue;  // those are packed without a change
            SCOPED_TRACE(concat(to_string(type), " x ", rows));
            const size_t cols = some_cols(type).back();
            const auto file = random_weights(type, rows, cols, rng);
            const PanelLayout layout = panel_layout(type, cols);
            std::vector<std::byte> panel(layout.bytes);
            pack_panel(type, layout, cols, file, panel);
            std::vector<float> unpacked(cols * kPanelRows);  // [cols][16]
            kernels.unpack[static_cast<size_t>(type)](
                {panel.data() + layout.supers, panel.data() + layout.scales,
                 panel.data() + layout.codes, layout.cols},
                unpacked.data());
            const size_t row_size = file.size() / rows;
            for (size_t r = 0; r < rows; ++r) {
                std::vector<float> expected(cols), found(cols);
                dequantise_row(type, std::span(file).subspan(r * row_size, row_size), expected);
                for (size_t c = 0; c < cols; ++c)
                    found[c] = unpacked[c * kPanelRows + r];
                ASSERT_EQ(found, expected) << "row " << r;
            }
        }
}

/// Bits per weight after packing at 2048 columns: the table in README.md.
TEST(Panel, takes_the_bits_the_readme_says) {
    const std::pair<WeightType, double> table[] = {
        {WeightType::f32, 32},      {WeightType::f16, 16},     {WeightType::bf16, 16},
        {WeightType::q4_0, 4.5},    {WeightType::q4_1, 5},     {WeightType::q5_0, 8.5},
        {WeightType::q5_1, 9},      {WeightType::q8_0, 8.5},   {WeightType::q2_k, 5.125},
        {WeightType::q3_k, 4.5625}, {WeightType::q4_k, 4.625}, {WeightType::q5_k, 8.625},
        {WeightType::q6_k, 8.5625}};
    for (const auto& [type, bits] : table)
        EXPECT_EQ(static_cast<double>(panel_layout(type, 2048).bytes) * 8 / (2048 * kPanelRows),
                  bits)
            << to_string(type);
}

TEST(Panel, starts_its_parts_on_cache_lines) {
    for (const WeightType type : kAllWeightTypes)
        for (const size_t cols : some_cols(type)) {
            const PanelLayout layout = panel_layout(type, cols);
            EXPECT_EQ(layout.scales % 64 + layout.codes % 64 + layout.bytes % 64, 0u)
                << to_string(type) << " " << cols;
        }
}

}  // namespace
}  // namespace brigada
