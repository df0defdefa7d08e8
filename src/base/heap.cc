#include "base/heap.h"

#include <mimalloc.h>

#pragma weak mi_option_enable  // not there where the heap is another one

namespace brigada {

void use_huge_pages() {
    if (&mi_option_enable) mi_option_enable(mi_option_large_os_pages);
}

}  // namespace brigada
