// Calls and their results, put in order. Every upstream wants the results of an assistant's calls
// directly after them, one for each; what clients send has gaps, strays and ids that repeat.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "dialect/conversation.h"

namespace brigada {

struct PairedMessages {
    std::vector<Message> messages = {};
    std::deque<std::string> made = {};  // texts that the messages refer to
};

/// The conversation's messages, where
/// - assistant messages in a row are one,
/// - after one with calls stands a user's message with a result for each call, in their order,
///   taken from the messages before the next assistant's; a call without one is told so,
/// - results without a call are texts of the user,
/// - ids are unique; where `plain_ids`, of letters, digits, - and _ alone, as Anthropic has them.
PairedMessages paired_calls(const Conversation& conversation, bool plain_ids);

}  // namespace brigada
