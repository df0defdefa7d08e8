#include "base/memory.h"

#include <malloc.h>

namespace brigada {

void pin_malloc_thresholds() {
    constexpr int kBytes = 128 * 1024;
    ::mallopt(M_MMAP_THRESHOLD, kBytes);
    ::mallopt(M_TRIM_THRESHOLD, kBytes);
}

}  // namespace brigada
