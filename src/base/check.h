// CHECK: what we did wrong. It stays on in release and ends the process with the condition, the
// place and, when given, values. DCHECK is for kernels' inner loops and vanishes in release.
#pragma once

#include <string>

#include "base/concat.h"

namespace brigada::detail {
[[noreturn]] void check_failed(const char* condition, const char* file, int line,
                               const std::string& values);
}

/// CHECK(free + held == total, "free=", free, " held=", held)
#define CHECK(condition, ...)                                                \
    do {                                                                     \
        if (!(condition)) [[unlikely]]                                       \
            ::brigada::detail::check_failed(#condition, __FILE__, __LINE__,  \
                                            ::brigada::concat(__VA_ARGS__)); \
    } while (false)

#ifdef NDEBUG
#define DCHECK(condition, ...) static_cast<void>(sizeof(!(condition)))
#else
#define DCHECK(condition, ...) CHECK(condition, __VA_ARGS__)
#endif
