// The reply of a chat in the words of another dialect: what the chat's reply says is read as a
// client would read it, and written anew.
#include <utility>

#include "api/error_body.h"
#include "api/reply.h"
#include "base/check.h"
#include "dialect/answer_reader.h"
#include "dialect/answer_writer.h"
#include "dialect/without_prompt.h"

namespace brigada {

namespace {

class TranslatedReply : public Reply {
  public:
    TranslatedReply(std::unique_ptr<Reply> chat, Dialect dialect, const ReplyHead& head,
                    const Conversation& asked, std::string dropped)
        : chat_(std::move(chat)),
          dialect_(dialect),
          asked_(without_prompt(asked)),
          dropped_(std::move(dropped)),
          reader_(make_answer_reader(Dialect::chat)),
          writer_(make_answer_writer(dialect, {.id = head.id,
                                               .model = head.model,
                                               .created_unix = head.created_unix,
                                               .asked = &asked_})) {}

    Chunks opening(uint32_t choice) override { return framed(chat_->opening(choice)); }
    Chunks token(const TokenEvent& event) override { return framed(chat_->token(event)); }
    Chunks finish(const ChoiceFinished& event) override { return framed(chat_->finish(event)); }
    Chunks end(const EngineUsage& usage) override { return framed(chat_->end(usage)); }
    Chunks failure(const Error& error) override {
        std::string out;
        writer_->write(AnswerFailed{dialect_error(error)}, out);
        return {std::move(out)};
    }
    bool is_framed() const override { return true; }

    void collect(const TokenEvent& event) override { chat_->collect(event); }
    void collect(const ChoiceFinished& event) override { chat_->collect(event); }
    std::string whole(const EngineUsage& usage) override {
        const Result<void> read = reader_->whole(
            chat_->whole(usage), [&](const AnswerEvent& event) { writer_->collect(event); });
        CHECK(read.ok(), "our own reply can't be read");
        return writer_->whole();
    }

    Dialect dialect() const override { return dialect_; }
    std::string dropped() const override { return dropped_; }

  private:
    Chunks framed(const Chunks& chunks) {
        std::string out;
        for (const std::string& chunk : chunks) {
            const Result<void> read = reader_->event(
                chunk, [&](const AnswerEvent& event) { writer_->write(event, out); });
            CHECK(read.ok(), "our own reply can't be read");
        }
        return out.empty() ? Chunks() : Chunks{std::move(out)};
    }

    std::unique_ptr<Reply> chat_;
    Dialect dialect_;
    Conversation asked_;
    std::string dropped_;
    std::unique_ptr<AnswerReader> reader_;
    std::unique_ptr<AnswerWriter> writer_;
};

}  // namespace

std::unique_ptr<Reply> make_translated_reply(std::unique_ptr<Reply> chat, Dialect dialect,
                                             const ReplyHead& head, const Conversation& asked,
                                             std::string dropped) {
    return std::make_unique<TranslatedReply>(std::move(chat), dialect, head, asked,
                                             std::move(dropped));
}

}  // namespace brigada
