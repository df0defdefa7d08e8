// The part of a ClientCall whose upstream speaks another dialect than the client.
#include <utility>

#include "base/concat.h"
#include "base/joined.h"
#include "dialect/without_thoughts.h"
#include "gateway/client_call.h"
#include "gateway/upstream_call.h"

namespace brigada {

/// Whether the client would rather have an error than an answer to less than it asked.
bool ClientCall::is_strict() const {
    return request_.headers.get("x-brigada-strict").value_or("") == "true";
}

/// Makes the body for this attempt's upstream. False: refusal_ says why there is none.
bool ClientCall::translate(const Deployment& deployment, std::string_view model) {
    if (!body_.previous_response.empty() && body_.previous_cut) {
        refusal_ = Refusal{
            .status = 400,
            .type = "invalid_request_error",
            .message = concat("previous_response_id: no response '", body_.previous_response,
                              "' is kept here; send the conversation itself"),
            .may_retry = false};
        return false;
    }
    if (!translation_) {
        auto begun = CallTranslation::of(request_.body, dialect_,
                                         {.id = made_answer_id(dialect_, record_id_.hex()),
                                          .model = body_.model,
                                          .created_unix = started_.ns / 1'000'000'000},
                                         setup_->config.general.always_includes_usage);
        if (!begun.ok()) {
            refusal_ = refusal_of(begun.error());
            return false;
        }
        translation_ = std::move(begun).value();
    }
    if (without_thoughts_) translation_->leave_thoughts_out();
    auto body = translation_->request(spoken_, model);
    if (!body.ok()) {
        refusal_ = refusal_of(body.error());
        return false;
    }
    if (is_strict() && !translation_->dropped().empty()) {
        refusal_ = Refusal{.status = 400,
                           .type = "invalid_request_error",
                           .message = concat("the upstream of model '", body_.model, "' speaks ",
                                             to_string(spoken_), ", which can't say ",
                                             joined(translation_->dropped())),
                           .may_retry = false};
        return false;
    }
    translated_body_ = std::move(body).value();
    if (salts_kv(deployment, spoken_)) {
        const Splice put_in = salted(translated_body_, CallBody{}, salt());
        translated_body_.insert(put_in.at, put_in.text);
    }
    return true;
}

/// After an upstream has refused what another one signed. False when there is nothing to leave out,
/// it is left out already, or the client wants all or nothing.
bool ClientCall::leave_thoughts_out() {
    if (without_thoughts_ || is_strict()) return false;
    for (BodyEdit& edit : thoughts_cut(request_.body, dialect_))
        thoughts_cut_.push_back({.at = static_cast<size_t>(edit.old.data() - request_.body.data()),
                                 .size = edit.old.size(),
                                 .text = std::move(edit.text)});
    without_thoughts_ = !thoughts_cut_.empty();
    return without_thoughts_;
}

/// Of what the client said, by its own names, what the upstream of this attempt was not told.
std::vector<std::string> ClientCall::dropped() const {
    if (translates()) return translation_ ? translation_->dropped() : std::vector<std::string>();
    if (!without_thoughts_) return {};
    return {std::string(thoughts_name(dialect_))};
}

Result<std::string> ClientCall::answer_body(std::string upstream_body) {
    if (!translates()) return upstream_body;
    return body_.stream ? translation_->whole_as_stream(upstream_body)
                        : translation_->whole(upstream_body);
}

/// An error of the call, as the client's dialect has it.
Task<void> ClientCall::send_upstream_error(const HttpResponseHead& head, std::string text) {
    if (!translates()) {
        if (stream_.started())
            co_await stream_.finish(concat("data: ", text, "\n\n"));
        else
            co_await responder_.send(head.status, answer_headers(head), text);
        co_return;
    }
    const DialectError error = read_dialect_error(head.status, text);
    if (stream_.started())
        co_await stream_.finish(translation_->failed(error));
    else
        co_await responder_.send(dialect_error_status(error, dialect_), answer_headers(head),
                                 dialect_error_body(error, dialect_));
}

/// What a stream that has begun ends with when it cannot be finished: refusal_ says why.
std::string ClientCall::broken_end() {
    if (translates() && translation_)
        return translation_->failed(
            {.kind = error_kind(refusal_->status, refusal_->type, "", refusal_->message),
             .type = refusal_->type,
             .message = refusal_->message,
             .status = refusal_->status});
    return refusal_event(*refusal_, dialect_);
}

}  // namespace brigada
