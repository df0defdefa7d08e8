// Ids that do not mix: an index that is a TokenId is never taken for a BlockId. Get the number with
// raw(id); make one with TokenId{7}.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

namespace brigada {

enum class TokenId : uint32_t {};     // index into a model's vocabulary
enum class BlockId : uint32_t {};     // index of a KV block in the engine's pool
enum class SequenceId : uint64_t {};  // one sequence inside an engine, from the owner's counter

template <typename Id>
    requires std::is_enum_v<Id>
constexpr std::underlying_type_t<Id> raw(Id id) {
    return static_cast<std::underlying_type_t<Id>>(id);
}

using Tokens = std::vector<TokenId>;

}  // namespace brigada
