// Files that a model's folder may have or not.
#pragma once

#include <string>

#include "base/file.h"
#include "base/result.h"

namespace brigada {

/// What cannot be looked at is reported by whoever opens it.
bool is_there(const Path& path);

/// The file's text; "" when there is none. Errors as of read_file.
Result<std::string> read_optional(const Path& path, size_t max_bytes);

}  // namespace brigada
