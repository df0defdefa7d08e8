// Where tests and benchmarks of this folder find the default model: in the cache that
// `brigada model pull` fills. `hub` knows that place too but stands beside this folder, not above
// it.
#pragma once

#include <cstdlib>

#include "base/file.h"

namespace brigada {

inline Path cached_smollm2() {
    const auto under = [](const char* variable, const char* rest) -> Path {
        const char* value = std::getenv(variable);
        return value && *value ? Path(value) / rest : Path();
    };
    Path cache = under("BRIGADA_CACHE", "");
    if (cache.empty()) cache = under("XDG_CACHE_HOME", "brigada");
    if (cache.empty()) cache = under("HOME", ".cache/brigada");
    return cache / "models" / "smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf";
}

}  // namespace brigada
