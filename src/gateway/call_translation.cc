#include "gateway/call_translation.h"

#include <utility>

#include "base/concat.h"
#include "dialect/read_conversation.h"
#include "dialect/without_prompt.h"
#include "dialect/write_conversation.h"

namespace brigada {

std::string made_answer_id(Dialect dialect, std::string_view unique) {
    switch (dialect) {
        case Dialect::messages:
            return concat("msg_", unique);
        case Dialect::responses:
            return concat("resp_", unique);
        default:
            return concat("chatcmpl-", unique);
    }
}

Result<CallTranslation> CallTranslation::of(std::string_view body, Dialect client,
                                            AnswerFrame frame, bool include_usage) {
    TRY(Conversation asked, read_conversation(body, client));
    asked.include_usage |= include_usage;
    return CallTranslation(std::move(asked), client, std::move(frame));
}

Result<std::string> CallTranslation::request(Dialect to, std::string_view model) {
    frame_.asked = asked_.get();
    writer_ = make_answer_writer(client_, frame_);  // failed() may be all that it has to say
    reader_ = make_answer_reader(to);
    TRY(WrittenRequest written, write_conversation(*asked_, to, model));
    dropped_ = std::move(written.dropped);
    return std::move(written.body);
}

Result<void> CallTranslation::event(std::string_view data, std::string& out) {
    return reader_->event(data, [&](const AnswerEvent& event) { writer_->write(event, out); });
}

Result<std::string> CallTranslation::whole(std::string_view json) {
    TRY(reader_->whole(json, [&](const AnswerEvent& event) { writer_->collect(event); }));
    return writer_->whole();
}

Result<std::string> CallTranslation::whole_as_stream(std::string_view json) {
    std::string out;
    TRY(reader_->whole(json, [&](const AnswerEvent& event) { writer_->write(event, out); }));
    return out;
}

std::string CallTranslation::failed(DialectError error) {
    std::string out;
    writer_->write(AnswerFailed{std::move(error)}, out);
    return out;
}

void CallTranslation::let_go_of_body() {
    *asked_ = without_prompt(*asked_);
}

}  // namespace brigada
