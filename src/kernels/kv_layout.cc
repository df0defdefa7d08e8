#include "kernels/kv_layout.h"

namespace brigada {

std::string_view to_string(KvType type) {
    switch (type) {
        case KvType::f32:
            return "f32";
        case KvType::f16:
            return "f16";
        case KvType::bf16:
            return "bf16";
    }
    CHECK(false, "type=", static_cast<int>(type));
}

}  // namespace brigada
