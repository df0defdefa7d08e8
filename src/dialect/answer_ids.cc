#include "dialect/answer_ids.h"

#include "base/concat.h"

namespace brigada {

std::string answer_id(Escaped upstream, const AnswerFrame& frame, std::string_view prefix) {
    const bool passes = upstream.raw.starts_with(prefix) || frame.id.empty();
    return passes ? std::string(upstream.raw) : escaped(frame.id);
}

std::string answer_model(Escaped upstream, const AnswerFrame& frame) {
    return frame.model.empty() ? std::string(upstream.raw) : escaped(frame.model);
}

std::string part_id(std::string_view answer, std::string_view prefix, uint64_t number) {
    const size_t dash = answer.find_first_of("_-");
    const std::string_view own = dash == answer.npos ? answer : answer.substr(dash + 1);
    return concat(prefix, own, "_", number);
}

std::string call_id(Escaped own, std::string_view answer, std::string_view prefix, uint32_t choice,
                    uint32_t call) {
    if (!own.empty()) return std::string(own.raw);
    return part_id(answer, prefix, (uint64_t{choice} << 32) | call);
}

}  // namespace brigada
