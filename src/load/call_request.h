// CallRequest: one prompt as a client of each API sends it: path, headers by which front doors know
// a session, and the body.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "dialect/conversation.h"
#include "net/http_client.h"

namespace brigada {

/// Whom all calls go to.
struct LoadTarget {
    std::string host = "127.0.0.1";
    uint16_t port = 8000;
    std::shared_ptr<TlsContext> tls = {};  // null: plain HTTP
    std::string base_path = "/v1";         // before "/chat/completions"
    Dialect api = Dialect::chat;           // or responses, messages
    std::string model = {};
    std::string key = {};         // of the API; empty: none is sent
    std::string extra_body = {};  // fields for every body, as the inside of a JSON object
    bool exact_output = false;    // asks engines to ignore their end token (ignore_eos, min_tokens)
    HttpTimeouts timeouts = {};
};

/// Which session a call belongs to, as its client names it.
struct SessionName {
    std::string session = {};
    std::string agent = {};  // of a sub-agent
};

/// All but the body.
HttpCall call_head(const LoadTarget& target, const SessionName& who);

/// A streamed call for `output_tokens` at most. Errors as of write_conversation.
Result<std::string> call_body(const LoadTarget& target, Conversation conversation,
                              const SessionName& who, uint32_t output_tokens);

}  // namespace brigada
