// Cgroup: the limits a container puts on this process, from the control-group files of version 2
// and version 1. A limit may stand on any ancestor, so the narrowest on the way up counts.
#pragma once

#include <cstdint>
#include <optional>

#include "base/file.h"

namespace brigada {

struct CgroupLimits {
    std::optional<double> cpus;            // quota / period; unset: unlimited
    std::optional<uint64_t> memory_bytes;  // unset: unlimited
    uint64_t memory_used_bytes = 0;  // by the group that sets memory_bytes, page cache left out
};

/// Limits of this process. `root` stands for "/". Files that are absent or make no sense count as
/// no limit.
CgroupLimits read_cgroup_limits(const Path& root);

}  // namespace brigada
