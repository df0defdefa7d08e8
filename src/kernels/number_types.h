// Half and Bfloat: the 16-bit floats as stored, so that a load knows by type how to widen them.
#pragma once

#include <cstdint>

namespace brigada {

struct Half {
    uint16_t bits;  // IEEE 754 binary16
};

struct Bfloat {
    uint16_t bits;  // the upper half of a float
};

}  // namespace brigada
