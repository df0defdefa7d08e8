// What a model thought in earlier turns carries a proof of the provider that ran it: a signature,
// or the thought itself, encrypted. Another provider refuses such a proof. Here is how that refusal
// reads, and the request without the thoughts, which any provider takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/conversation.h"
#include "dialect/dialect.h"

namespace brigada {

/// Whether the body of an upstream's 400 says that it does not believe a proof.
bool says_thought_refused(std::string_view error_body);

/// `text` in place of the bytes `old` of a body.
struct BodyEdit {
    std::string_view old = {};
    std::string text = {};
};

/// What takes the thoughts out of a client's body; nothing where there are none, or no dialect with
/// proofs. Where a turn of Messages goes on after calls of tools, thinking is turned off, too:
/// there the API wants the thought that led to them. `body` may be read kJsonPadding bytes further.
std::vector<BodyEdit> thoughts_cut(std::string_view body, Dialect dialect);

/// The same of a conversation: takes out thoughts with a proof, and notes that. False where there
/// are none.
bool leave_thoughts_out(Conversation& conversation);

/// What they are called in the list of what was dropped.
std::string_view thoughts_name(Dialect client);

}  // namespace brigada
