#include "base/money.h"

#include "base/digits.h"

namespace brigada {

std::string decimal_dollars(Money money) {
    constexpr int64_t kNano = 1'000'000'000;
    const char* sign = money.nano < 0 ? "-" : "";
    const uint64_t size =
        money.nano < 0 ? 0 - static_cast<uint64_t>(money.nano) : static_cast<uint64_t>(money.nano);
    std::string out = sign;
    append_decimal(out, static_cast<int64_t>(size / kNano));
    out += '.';
    append_padded(out, size % kNano, 9);
    while (out.ends_with('0') && out[out.size() - 3] != '.')
        out.pop_back();
    return out;
}

}  // namespace brigada
