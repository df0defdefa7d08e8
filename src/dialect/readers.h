// The readers of the three dialects, one in a file of its own.
#pragma once

#include "base/result.h"
#include "dialect/conversation.h"
#include "dialect/json_tree.h"

namespace brigada {

Result<void> read_chat(JsonNode body, Conversation& to);
Result<void> read_messages(JsonNode body, Conversation& to);
Result<void> read_responses(JsonNode body, Conversation& to);

}  // namespace brigada
