// Parser: a template's source to its Tree, by recursive descent over the grammar of Jinja 3.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "jinja/tree.h"

namespace brigada::jinja {

/// Error::invalid_argument names the line and what was expected there; Error::unsupported a tag
/// that needs other files. Blocks and brackets may nest 100 deep.
Result<std::unique_ptr<const Tree>> parse_template(std::string_view source);

}  // namespace brigada::jinja
