#include "gateway/call_translation.h"

#include <utility>

#include "base/concat.h"
#include "dialect/read_conversation.h"
#include "dialect/without_prompt.h"
#include "dialect/without_thoughts.h"
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

void CallTranslation::leave_thoughts_out() {
    brigada::leave_thoughts_out(*asked_);
}

Result<std::string> CallTranslation::request(Dialect to, std::string_view model) {
    frame_.asked = asked_.get();
    writer_ = make_answer_writer(client_, frame_);  // failed() may be all that it has to say
    reader_ = make_answer_reader(to);
    names_ = ToolNames(*asked_);
    names_.put_into(*asked_);
    auto result = write_conversation(*asked_, to, model);
    names_.take_out_of(*asked_);
    TRY(WrittenRequest written, std::move(result));
    dropped_ = std::move(written.dropped);
    return std::move(written.body);
}

/// Tools have the client's names again.
AnswerSink CallTranslation::to_client(AnswerSink write) const {
    if (names_.empty()) return write;
    return [this, write = std::move(write)](const AnswerEvent& event) {
        const auto* begun = std::get_if<ToolCallBegan>(&event);
        if (!begun) return write(event);
        ToolCallBegan renamed = *begun;
        renamed.name = names_.original(begun->name);
        write(renamed);
    };
}

Result<void> CallTranslation::event(std::string_view data, std::string& out) {
    return reader_->event(data,
                          to_client([&](const AnswerEvent& event) { writer_->write(event, out); }));
}

Result<std::string> CallTranslation::whole(std::string_view json) {
    TRY(reader_->whole(json,
                       to_client([&](const AnswerEvent& event) { writer_->collect(event); })));
    return writer_->whole();
}

Result<std::string> CallTranslation::whole_as_stream(std::string_view json) {
    std::string out;
    TRY(reader_->whole(json,
                       to_client([&](const AnswerEvent& event) { writer_->write(event, out); })));
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
