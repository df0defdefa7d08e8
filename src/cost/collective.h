// How long the collectives of parallel ranks take: a start, hops and bytes. Checked against
// measurements on NVSwitch, NVLink pairs and PCIe (testdata/calibration/allreduce_measured.csv).
#pragma once

#include <cstdint>

namespace brigada {

/// Seconds for a message, or a part of one.
struct CollectiveTime {
    double start_s = 0;     // however small the message
    double per_byte_s = 0;  // of each rank's message
};

/// The sum over all ranks, on each: a ring passes every byte 2 (n - 1) / n times.
///   bytes_per_s  what one rank sends in one direction, as reached
CollectiveTime all_reduce(uint32_t ranks, double bytes_per_s);

/// One way of tokens to their experts: every byte passes (n - 1) / n times.
CollectiveTime exchange(uint32_t ranks, double bytes_per_s);

}  // namespace brigada
