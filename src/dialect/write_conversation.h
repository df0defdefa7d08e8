// From a Conversation to the body of a request in another dialect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/conversation.h"
#include "dialect/dialect.h"

namespace brigada {

struct WrittenRequest {
    std::string body = {};
    /// What the target cannot say, by name, each once, sorted: "top_k", "unknown_field".
    std::vector<std::string> dropped = {};
};

/// `model` is the upstream's name for it. `to` is chat, responses or messages.
/// Error::invalid_argument for what the target would refuse anyway and we can name better,
/// Error::unsupported for what can't be left out without another answer: n, max_tokens 0.
Result<WrittenRequest> write_conversation(const Conversation& conversation, Dialect to,
                                          std::string_view model);

}  // namespace brigada
