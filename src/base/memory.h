// How the process asks glibc for memory. Called first thing in main.
#pragma once

namespace brigada {

/// Pins malloc's thresholds, so that request bodies and weights of over 128 KB are mapped and given
/// back when freed. Left alone, glibc raises the threshold after the first large free, and the heap
/// then keeps 100 to 150 KB per stream after a 400 KB request; pinned, 7 KB.
void pin_malloc_thresholds();

}  // namespace brigada
