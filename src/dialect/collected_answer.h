// CollectedAnswer: an answer that is given whole, put together from its events.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "dialect/answer_block.h"
#include "dialect/answer_event.h"

namespace brigada {

struct CollectedChoice {
    std::vector<AnswerBlock> blocks = {};  // calls where they began
    AnswerEnd end = AnswerEnd::stop;
    std::string stop_sequence = {};  // escaped

    bool has(AnswerBlock::Kind kind) const;
};

struct CollectedAnswer {
    std::string id = {}, model = {};  // the upstream's, escaped
    int64_t created_unix = 0;
    std::map<uint32_t, CollectedChoice> choices = {};
    std::optional<UsageTold> usage = {};

    void add(const AnswerEvent& event);
};

}  // namespace brigada
