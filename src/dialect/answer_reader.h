// AnswerReader: an upstream's answer, whole or event by event, told as AnswerEvents.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "dialect/answer_event.h"
#include "dialect/dialect.h"

namespace brigada {

class AnswerReader {
  public:
    virtual ~AnswerReader() = default;

    /// The data of one server-sent event. What nobody knows is passed over. Error::corrupt for
    /// data that is no JSON object of this dialect; the caller then tells the client that the
    /// answer broke.
    virtual Result<void> event(std::string_view data, const AnswerSink& sink) = 0;

    /// A whole answer (2xx), from AnswerBegan to AnswerEnded.
    virtual Result<void> whole(std::string_view json, const AnswerSink& sink) = 0;

    /// Whether the end that the dialect demands has passed, or AnswerFailed: later events are
    /// passed over.
    virtual bool ended() const = 0;
};

/// `from` is chat, responses or messages.
std::unique_ptr<AnswerReader> make_answer_reader(Dialect from);

}  // namespace brigada
