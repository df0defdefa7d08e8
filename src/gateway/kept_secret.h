// kept_secret: a secret that is made at the first start and read at every later one: a file that
// only this user can read.
#pragma once

#include <string>

#include "base/file.h"
#include "base/result.h"
#include "gateway/directory/key_secret.h"

namespace brigada {

/// The text of the file, made like a key if there is none. Error::io, or ::corrupt for a text too
/// short to be a secret; both name the file.
Result<std::string> read_or_make_secret(const Path& file, const RandomBytes& random);

}  // namespace brigada
