// RegexNode: a regular expression as a tree, before it becomes part of a grammar: groups are gone,
// classes are sets of code points, anchors are still where they stood.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "grammar/code_points.h"

namespace brigada {

struct RegexNode {
    enum class Kind { set, sequence, either, repeat, line_start, line_end };
    Kind kind = Kind::sequence;
    CodePointSet set{};              // set
    std::vector<RegexNode> parts{};  // sequence, either; repeat has one
    uint32_t least = 0;              // repeat
    std::optional<uint32_t> most{};
    bool has_anchor = false;  // here or below
};

/// Nested groups, and the count in {m,n}.
inline constexpr uint32_t kMaxRegexDepth = 128;
inline constexpr uint32_t kMaxRegexCount = 100'000;

/// Errors as read_regex.
Result<RegexNode> parse_regex(std::string_view pattern);

}  // namespace brigada
