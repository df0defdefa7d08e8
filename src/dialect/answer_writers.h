// The writers of the three dialects, for make_answer_writer().
#pragma once

#include "dialect/answer_writer.h"

namespace brigada {

std::unique_ptr<AnswerWriter> make_chat_answer_writer(AnswerFrame frame);
std::unique_ptr<AnswerWriter> make_responses_answer_writer(AnswerFrame frame);
std::unique_ptr<AnswerWriter> make_messages_answer_writer(AnswerFrame frame);

}  // namespace brigada
