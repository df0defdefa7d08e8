#include "dialect/collected_answer.h"

#include <algorithm>

namespace brigada {

namespace {

using Kind = AnswerBlock::Kind;

/// The block that text of this kind belongs to.
AnswerBlock& open_block(CollectedChoice& choice, Kind kind) {
    std::vector<AnswerBlock>& blocks = choice.blocks;
    if (blocks.empty() || blocks.back().kind != kind || blocks.back().sealed)
        blocks.push_back({.kind = kind});
    return blocks.back();
}

struct Collector {
    CollectedAnswer& to;

    void operator()(const AnswerBegan& began) const {
        to.id = began.id.raw;
        to.model = began.model.raw;
        to.created_unix = began.created_unix;
        if (began.usage) to.usage = UsageTold{.usage = *began.usage};
        to.choices[0];  // an answer has one, be it empty
    }
    void operator()(const TextDelta& delta) const {
        text(delta, Kind::text);
        if (delta.text.empty()) return;
        append_elements(to.choices[delta.choice].blocks.back().logprobs,
                        elements_of(delta.logprobs));
    }
    void operator()(const ThinkingDelta& delta) const { text(delta, Kind::thinking); }
    void operator()(const RefusalDelta& delta) const { text(delta, Kind::refusal); }
    void operator()(const ThinkingSigned& signed_thinking) const {
        AnswerBlock& block = open_block(to.choices[signed_thinking.choice], Kind::thinking);
        block.signature = signed_thinking.signature.raw;
        block.sealed = true;
    }
    void operator()(const RedactedThinking& redacted) const {
        to.choices[redacted.choice].blocks.push_back(
            {.kind = Kind::redacted, .text = std::string(redacted.data.raw), .sealed = true});
    }
    void operator()(const ToolCallBegan& call) const {
        to.choices[call.choice].blocks.push_back({.kind = Kind::call,
                                                  .call = call.call,
                                                  .id = std::string(call.id.raw),
                                                  .name = std::string(call.name.raw)});
    }
    void operator()(const ToolArgumentsDelta& delta) const {
        for (AnswerBlock& block : to.choices[delta.choice].blocks)
            if (block.kind == Kind::call && block.call == delta.call) block.text += delta.text.raw;
    }
    void operator()(const ChoiceEnded& ended) const {
        CollectedChoice& choice = to.choices[ended.choice];
        choice.end = ended.reason;
        choice.stop_sequence = ended.stop_sequence.raw;
    }
    void operator()(const UsageTold& told) const { to.usage = told; }
    void operator()(const AnswerEnded&) const {}
    void operator()(const AnswerFailed&) const {}

    template <typename Delta>
    void text(const Delta& delta, Kind kind) const {
        if (!delta.text.empty()) open_block(to.choices[delta.choice], kind).text += delta.text.raw;
    }
};

}  // namespace

bool CollectedChoice::has(Kind kind) const {
    return std::ranges::any_of(blocks,
                               [&](const AnswerBlock& block) { return block.kind == kind; });
}

void CollectedAnswer::add(const AnswerEvent& event) {
    std::visit(Collector{*this}, event);
}

}  // namespace brigada
