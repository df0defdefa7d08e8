// A conversation's shape: what messages to come can tell of those before them: whether there is a
// system message, and how the last round of calls and results looks, contents left out. A few short
// messages of that shape then stand for a long conversation.
#pragma once

#include <optional>

#include "base/json.h"

namespace brigada {

/// Messages of the shape of `messages`: the last round, its contents cut to a word, behind a user's
/// message and a system message if there was one. Nothing when the last to speak was an assistant,
/// or there are roles that no round has.
std::optional<Json> shape_of(const Json& messages);

/// The shape once `more`, which continues(), has been said as well.
Json shape_after(const Json& shape, const Json& more);

/// One tool that stands for any number of them; null for none.
Json shape_of_tools(bool has_tools);

/// Whether a conversation may go on like this: an assistant begins, a user or a tool ends.
bool continues(const Json& more);

bool ends_with_user(const Json& messages);

/// Whether a user speaks, or an assistant without calling a tool.
bool ends_turn(const Json& messages);

}  // namespace brigada
