// BodyWords: what was said after a command's options, and the body it becomes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/manage/name_book.h"
#include "cli/manage/noun.h"

namespace brigada {

struct BodyWords {
    std::map<const OptionDoc*, std::string> given = {};  // empty: not said
    std::vector<std::string> set = {};                   // "field=value"
};

/// Only what was said; "none" becomes null, which clears a field. Error::invalid_argument names the
/// option; others as Register::find().
Result<Json> body_of(const BodyWords& words, NameBook& names);

}  // namespace brigada
