// KeptResponse: what a finished call of /v1/responses leaves behind, so that the client can read it
// again and go on from it by its id. The front door keeps it itself: whichever upstream answers the
// next call sees the whole conversation, whether or not it answered this one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/call_body.h"
#include "gateway/tenant_cache.h"

namespace brigada {

struct KeptResponse {
    std::string input = {};     // the items that were asked, as a JSON array
    std::string response = {};  // the JSON object that the client got

    size_t bytes() const { return input.size() + response.size(); }
};

using KeptResponseRef = std::shared_ptr<const KeptResponse>;
using KeptResponses = TenantCache<std::string, KeptResponse>;

std::string kept_key(std::string_view tenant, std::string_view response_id);

/// The `input` of a request, which may be one text, as a JSON array of items.
std::string input_items(std::string_view input);

/// The response that the last events of a stream (`response.completed` and the like) bring, or that
/// a whole body is. Nothing where there is none.
std::optional<std::string> finished_response(std::string_view answer, bool stream);

/// "resp_..." of a response. "" when it has none.
std::string response_id(std::string_view response);

/// The client's body as if it had said all of it: what `previous` was asked and answered comes
/// before its own input. Instructions are the call's own, as in OpenAI's API. `read` is of `body`.
std::string continued(std::string_view body, const CallBody& read, const KeptResponse& previous);

}  // namespace brigada
