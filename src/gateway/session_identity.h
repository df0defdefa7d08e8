// SessionIdentity: which conversation a call belongs to, read from the headers and fields that
// agents send of their own accord, so that nobody has to configure anything.
#pragma once

#include <string>

#include "gateway/call_body.h"
#include "kv/block_key.h"
#include "net/http.h"

namespace brigada {

struct SessionIdentity {
    std::string session = {};  // "" when the call names none
    std::string agent = {};    // a sub-agent within it; "" for the main conversation

    /// One key for the router: sub-agents have prefixes of their own.
    std::string key() const { return agent.empty() ? session : session + '/' + agent; }
};

/// The order: our own and other gateways' headers, Claude Code's, Codex's, others',
/// metadata.user_id, prompt_cache_key or metadata.session_id. A sub-agent is known by an id beside
/// the session's, by a thread of its own, or by the parent that its session names. Ids of over 255
/// bytes count as none.
SessionIdentity session_identity(const HttpHeaders& headers, const CallBody& body);

/// The router's name for a session of one tenant; 0 for a session without a name.
SessionId session_id(std::string_view tenant, std::string_view session);

/// The session inside Claude Code's metadata.user_id, in both of its forms:
/// "user_..._session_<uuid>" and a JSON text {"session_id": ...}. "" when there is none.
std::string session_of_user_id(std::string_view user_id);

}  // namespace brigada
