#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace brigada::detail {

void check_failed(const char* condition, const char* file, int line, const std::string& values) {
    std::fprintf(stderr, "%s:%d: CHECK failed: %s%s%s\n", file, line, condition,
                 values.empty() ? "" : ": ", values.c_str());
    std::fflush(stderr);
    std::abort();
}

}  // namespace brigada::detail
