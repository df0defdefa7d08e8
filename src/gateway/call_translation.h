// CallTranslation: one call whose upstream speaks another dialect than its client: the request as
// the upstream reads it, the answer as the client does. Pure: bytes in, bytes out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/answer_reader.h"
#include "dialect/answer_writer.h"
#include "dialect/conversation.h"
#include "dialect/dialect.h"
#include "dialect/dialect_error.h"
#include "dialect/tool_names.h"

namespace brigada {

/// An id in the manner of `dialect`, which is chat, responses or messages: "msg_" and `unique`.
std::string made_answer_id(Dialect dialect, std::string_view unique);

class CallTranslation {
  public:
    /// `body` is the client's request. It must stay where it is until let_go_of_body().
    /// `include_usage` tells a chat client what a stream used even when it did not ask.
    static Result<CallTranslation> of(std::string_view body, Dialect client, AnswerFrame frame,
                                      bool include_usage);

    /// The request for an upstream that speaks `to`. What follows is read as its answer.
    Result<std::string> request(Dialect to, std::string_view model);
    /// The requests that follow are without thoughts of which another provider has the proof.
    void leave_thoughts_out();
    /// What the last request could not say, by name.
    const std::vector<std::string>& dropped() const { return dropped_; }

    /// Appends what the data of one of the upstream's events are to the client.
    Result<void> event(std::string_view data, std::string& out);
    /// The whole answer.
    Result<std::string> whole(std::string_view json);
    /// The same as a stream, for an upstream that does not stream.
    Result<std::string> whole_as_stream(std::string_view json);
    /// The end of a stream that cannot be finished.
    std::string failed(DialectError error);

    /// The answer has begun, so there will be no other request: the client's body may go.
    void let_go_of_body();

  private:
    CallTranslation(Conversation asked, Dialect client, AnswerFrame frame)
        : asked_(std::make_unique<Conversation>(std::move(asked))),
          client_(client),
          frame_(std::move(frame)) {}

    AnswerSink to_client(AnswerSink write) const;

    std::unique_ptr<Conversation> asked_;
    Dialect client_;
    AnswerFrame frame_;
    ToolNames names_;  // of the last request
    std::vector<std::string> dropped_;
    std::unique_ptr<AnswerReader> reader_;
    std::unique_ptr<AnswerWriter> writer_;
};

}  // namespace brigada
