// Bandwidth: how fast this machine reads memory, measured: the roof of decoding.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "base/time.h"

namespace brigada {

/// Bytes per second at which `threads` threads together read `bytes` of memory, each its own part
/// in order. For DRAM take several times the last-level cache. Best pass within about `budget`,
/// after filling the memory. Error::exhausted when the system has no such memory to give.
Result<double> measure_read_bandwidth(unsigned threads, size_t bytes = size_t{256} << 20,
                                      Duration budget = Duration::milliseconds(200));

}  // namespace brigada
