// RopeTable: cosines and sines of every position of the context, computed once. One table serves
// all layers of a model.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/elementwise.h"
#include "model/rope.h"

namespace brigada {

class RopeTable {
  public:
    /// Room for positions [0, context).
    RopeTable(const Rope& rope, uint32_t context);

    RopeAngles at(uint32_t position) const {
        return {cos_.data() + size_t{position} * half_, sin_.data() + size_t{position} * half_};
    }
    uint32_t dims() const { return static_cast<uint32_t>(2 * half_); }
    RopePairing pairing() const { return pairing_; }

  private:
    size_t half_;  // rotated pairs
    RopePairing pairing_;
    std::vector<float> cos_, sin_;  // [context][half], times the attention factor
};

}  // namespace brigada
