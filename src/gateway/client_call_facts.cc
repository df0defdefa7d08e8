// The part of a ClientCall that tells what became of it, to the log and the trace.
#include "gateway/client_call.h"

namespace brigada {

namespace {

/// An upstream's error may quote the prompt: only our own words are told.
std::string_view own_words(const Refusal& refusal, bool asked_upstream) {
    if (asked_upstream && refusal.status == 400) return {};
    return refusal.message;
}

}  // namespace

CallFacts ClientCall::facts() const {
    CallFacts out{.id = record_id_.hex(),
                  .path = request_.path,
                  .dialect = dialect_,
                  .started = started_,
                  .first_byte = first_byte_,
                  .ended = WallClock().now(),
                  .caller = caller_,
                  .end_user = body_.end_user,
                  .session = identity_.key(),
                  .model_asked = body_.model,
                  .model_served = model_served_,
                  .stream = body_.stream,
                  .from_cache = from_cache(),
                  .max_output = body_.max_output,
                  .http_status = http_status_,
                  .status = status_,
                  .body_bytes = body_bytes_,
                  .usage = usage_,
                  .usage_counted_here = usage_counted_here_,
                  .cost = cost_};
    if (tried_.empty()) out.status = CallStatus::ok;  // no upstream has failed
    if (refusal_) {
        out.refusal = refusal_->type;
        out.message = own_words(*refusal_, !tried_.empty());
    }
    return out;
}

}  // namespace brigada
