#include "dialect/answer_writer.h"

#include "base/check.h"
#include "dialect/answer_writers.h"

namespace brigada {

std::unique_ptr<AnswerWriter> make_answer_writer(Dialect to, AnswerFrame frame) {
    switch (to) {
        case Dialect::chat:
            return make_chat_answer_writer(std::move(frame));
        case Dialect::responses:
            return make_responses_answer_writer(std::move(frame));
        case Dialect::messages:
            return make_messages_answer_writer(std::move(frame));
        case Dialect::completions:
        case Dialect::embeddings:
        case Dialect::count_tokens:
            break;
    }
    CHECK(false, "no answers are written in ", to_string(to));
}

}  // namespace brigada
