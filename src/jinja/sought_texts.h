// sought_texts: the texts that a template looks for inside other texts. A message without any of
// them is, to the template, like any other of its shape.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace brigada::jinja {

struct SoughtTexts {
    std::vector<std::string> inside;  // of `in`, startswith, split, ... and of variables
    std::vector<std::string> whole;   // all other literals: a text may be compared with them
};

/// Each once, in ascending order; shorter than 3 bytes are left out of `inside`, as line breaks are
/// looked for everywhere. Errors as Template::parse.
Result<SoughtTexts> sought_texts(std::string_view source);

}  // namespace brigada::jinja
