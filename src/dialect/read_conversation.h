// From the body of a request to a Conversation.
#pragma once

#include <string_view>

#include "base/result.h"
#include "dialect/conversation.h"
#include "dialect/dialect.h"

namespace brigada {

/// `body` is a whole JSON object of `from` (chat, responses or messages), may be read 64 bytes
/// further, and outlives the conversation. Error::invalid_argument names the field by its path
/// ("messages[3].content[0].source.type") and its value; Error::unsupported what no other dialect
/// can say.
Result<Conversation> read_conversation(std::string_view body, Dialect from);

}  // namespace brigada
