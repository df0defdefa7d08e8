// What is needed of a request once its answer has begun.
#pragma once

#include "dialect/conversation.h"

namespace brigada {

/// What answers repeat of the request and read it by: settings, and which tools there are. All its
/// texts are its own, so the body of 400 KB need not stay for a stream of minutes.
Conversation without_prompt(const Conversation& asked);

}  // namespace brigada
