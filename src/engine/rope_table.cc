#include "engine/rope_table.h"

#include <cmath>

namespace brigada {

RopeTable::RopeTable(const Rope& rope, uint32_t context)
    : half_(rope.dims / 2), pairing_(rope.pairing) {
    const std::vector<float> frequencies = rope_inverse_frequencies(rope, context);
    const double factor = rope_attention_factor(rope, context);
    cos_.resize(size_t{context} * half_);
    sin_.resize(size_t{context} * half_);
    for (uint32_t position = 0; position < context; ++position) {
        for (size_t i = 0; i < half_; ++i) {
            // The angle in double: at position 100,000 a float's angle is off by up to 0.004.
            const double angle = static_cast<double>(position) * frequencies[i];
            cos_[position * half_ + i] = static_cast<float>(std::cos(angle) * factor);
            sin_[position * half_ + i] = static_cast<float>(std::sin(angle) * factor);
        }
    }
}

}  // namespace brigada
