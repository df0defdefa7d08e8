#include "model/tensor.h"

#include "base/concat.h"

namespace brigada {

std::string shape_text(std::span<const uint64_t> shape) {
    std::string out = "[";
    for (size_t i = 0; i < shape.size(); ++i)
        out += concat(i ? ", " : "", shape[i]);
    return out + "]";
}

}  // namespace brigada
