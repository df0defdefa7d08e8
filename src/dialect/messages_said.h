// What was said, as Anthropic's Messages take it: system prompts first, then turns of user and
// assistant, results before anything else the user says, and no text that is blank.
#pragma once

#include "dialect/writers.h"

namespace brigada {

/// The fields `system` and `messages`. Error::invalid_argument where nothing is said.
Result<void> write_messages_said(Writing& to);

/// An object with its type, left open: a block, or what looks like one.
void begin_block(JsonOut& out, std::string_view type);

/// Nothing but white space, which this API refuses.
bool is_blank(Escaped text);

}  // namespace brigada
