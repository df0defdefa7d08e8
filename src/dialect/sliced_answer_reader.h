// SlicedAnswerReader: what the readers of all dialects have in common: an event or a whole answer
// is one JSON object, an answer begins once and ends once.
#pragma once

#include "dialect/answer_reader.h"
#include "dialect/json_slices.h"

namespace brigada {

class SlicedAnswerReader : public AnswerReader {
  public:
    Result<void> event(std::string_view data, const AnswerSink& sink) final;
    Result<void> whole(std::string_view json, const AnswerSink& sink) final;
    bool ended() const final { return ended_; }

  protected:
    virtual void read_event(SliceObject top, const AnswerSink& sink) = 0;
    /// Whether it was an answer of this dialect.
    virtual bool read_whole(SliceObject top, const AnswerSink& sink) = 0;
    /// "[DONE]", which only chat demands, but others send, too.
    virtual void read_done(const AnswerSink&) {}

    void begin(const AnswerBegan& began, const AnswerSink& sink);
    void end(const AnswerSink& sink);
    void fail(DialectError error, const AnswerSink& sink);

    bool began() const { return began_; }

  private:
    SliceDocument document_;
    bool began_ = false;
    bool ended_ = false;
};

std::unique_ptr<AnswerReader> make_chat_answer_reader();
std::unique_ptr<AnswerReader> make_responses_answer_reader();
std::unique_ptr<AnswerReader> make_messages_answer_reader();

}  // namespace brigada
