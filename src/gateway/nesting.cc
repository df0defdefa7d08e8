#include "gateway/nesting.h"

#include <algorithm>
#include <array>

namespace brigada {

namespace {

using simdjson::ondemand::json_iterator;

/// By how much a token changes the depth.
constexpr auto kSteps = [] {
    std::array<int8_t, 256> out{};
    out['['] = out['{'] = 1;
    out[']'] = out['}'] = -1;
    return out;
}();

/// Shows where simdjson stands in its index, which it keeps to itself.
class OpenValue : public simdjson::ondemand::value {
  public:
    explicit OpenValue(const simdjson::ondemand::value& value) : simdjson::ondemand::value(value) {}

    /// At the value's first token; its steps are nobody else's.
    json_iterator tokens() const { return json_iterator(iter.json_iter()); }
};

}  // namespace

int levels_of(const simdjson::ondemand::value& value) {
    json_iterator tokens = OpenValue(value).tokens();
    int depth = 0, deepest = 0;
    do {
        if (tokens.at_end()) return 0;
        depth += kSteps[*tokens.return_current_and_advance()];
        deepest = std::max(deepest, depth);
    } while (depth > 0);
    return deepest;
}

}  // namespace brigada
