// Whether two grammars have a text in common. No program can tell of every two, so it looks at so
// many pairs of their positions, shortest texts first, and says when that was not enough.
#pragma once

#include <memory>
#include <string>

#include "grammar/grammar.h"

namespace brigada {

/// Pairs of positions that are looked at.
inline constexpr size_t kMaxComparedPositions = 20'000;

struct CommonText {
    enum class Found { none, one, unknown };
    Found found = Found::none;
    std::string text{};  // of one: a shortest
};

CommonText common_text(std::shared_ptr<const Grammar> a, std::shared_ptr<const Grammar> b,
                       size_t max_pairs = kMaxComparedPositions);

}  // namespace brigada
