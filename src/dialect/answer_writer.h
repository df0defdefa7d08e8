// AnswerWriter: AnswerEvents in the client's dialect, as the server-sent events of a stream or as
// one whole body.
#pragma once

#include <memory>
#include <string>

#include "dialect/answer_event.h"
#include "dialect/conversation.h"
#include "dialect/dialect.h"

namespace brigada {

/// What the client is told of its own request, and ids where the upstream has none in its shape.
struct AnswerFrame {
    std::string id = {};  // "msg_...", "resp_...", "chatcmpl-..."; as the client's dialect has them
    std::string model = {};  // as the client asked for it
    int64_t created_unix = 0;
    const Conversation* asked = nullptr;  // outlives the writer
};

class AnswerWriter {
  public:
    virtual ~AnswerWriter() = default;

    /// Appends the events of a stream, framed, to `out`; nothing where there is nothing to say.
    virtual void write(const AnswerEvent& event, std::string& out) = 0;

    /// Collects an event of a whole answer.
    virtual void collect(const AnswerEvent& event) = 0;
    /// The whole answer as JSON, after AnswerEnded.
    virtual std::string whole() = 0;
};

/// `to` is chat, responses or messages.
std::unique_ptr<AnswerWriter> make_answer_writer(Dialect to, AnswerFrame frame);

}  // namespace brigada
