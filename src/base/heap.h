// The process's heap, where that is mimalloc: in the product and its benchmarks, not where a
// sanitizer brings its own.
#pragma once

namespace brigada {

/// From now on memory comes in pages of 2 MB where Linux has them. For a process that fills
/// gigabytes and reads them at random: finding a page is then much of the time of each look.
void use_huge_pages();

}  // namespace brigada
