// The part of a ClientCall that has to do with kept responses: going on from one, and keeping the
// one it brings.
#include <utility>

#include "gateway/client_call.h"

namespace brigada {

/// From here on the call says all of the conversation itself. What is not kept here an upstream may
/// know.
Result<void> ClientCall::continue_response() {
    const KeptResponseRef previous = gateway_.kept_responses().find(
        caller_->tenant, kept_key(caller_->tenant, body_.previous_response), {}, now());
    if (!previous) return {};
    request_.body = continued(request_.body, body_, *previous);
    return read_text();
}

/// The answer is whole; of a stream `answer` is its end.
void ClientCall::keep_response(std::string_view answer, bool stream) {
    if (response_input_.empty()) return;
    auto response = finished_response(answer, stream);
    const std::string id = response ? response_id(*response) : std::string();
    if (id.empty()) return;
    auto kept = std::make_shared<KeptResponse>(
        KeptResponse{.input = std::move(response_input_), .response = *std::move(response)});
    gateway_.kept_responses().put(caller_->tenant, kept_key(caller_->tenant, id), std::move(kept),
                                  {}, now());
}

}  // namespace brigada
