// The part of a ClientCall that counts its prompt before anything is reserved for it.
#include "gateway/client_call.h"
#include "gateway/prompt_source_of.h"

namespace brigada {

/// Counting itself costs nothing, so that nothing is reserved for it.
bool ClientCall::counts_prompt() const {
    return dialect_ != Dialect::count_tokens && !setup_->counters.empty();
}

/// As `model` reads it. Where nobody can count, the estimate stays.
Task<void> ClientCall::count_prompt(const std::string& model) {
    const CounterRef counter = setup_->counter_of(model);
    if (!counter) co_return;
    const auto tokens = co_await gateway_.counting().count(
        counter, prompt_source_of(body_, request_.body, message_keys_, dialect_), caller_->tenant);
    if (!tokens) co_return;
    prompt_tokens_ = *tokens;
    is_prompt_counted_ = true;
}

}  // namespace brigada
