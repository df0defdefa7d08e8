// The ids of an answer and of what it holds. An upstream's ids pass where the client's dialect has
// them in the same shape; others are made from the answer's own id, so that the same answer always
// has the same ones.
#pragma once

#include <string>

#include "dialect/answer_writer.h"

namespace brigada {

/// The upstream's id where it begins with `prefix` ("msg_"), else the frame's; escaped.
std::string answer_id(Escaped upstream, const AnswerFrame& frame, std::string_view prefix);

/// The model as the client asked for it, else as the upstream calls it; escaped.
std::string answer_model(Escaped upstream, const AnswerFrame& frame);

/// "fc_<answer>_<number>": `answer` without its own prefix.
std::string part_id(std::string_view answer, std::string_view prefix, uint64_t number);

/// The call's own id, else one made for it; escaped. Calls of other choices are numbered apart.
std::string call_id(Escaped own, std::string_view answer, std::string_view prefix, uint32_t choice,
                    uint32_t call);

}  // namespace brigada
