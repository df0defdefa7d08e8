// acknowledged_bytes(): how much of what we sent the kernel at the other end has got, as TCP says.
#pragma once

#include <cstdint>
#include <optional>

namespace brigada {

/// Of the socket of a connection that this end opened; nullopt when the kernel does not say (Linux
/// since 4.1 does).
std::optional<uint64_t> acknowledged_bytes(int descriptor);

}  // namespace brigada
