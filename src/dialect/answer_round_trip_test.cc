// Any answer, written in a dialect and read back from it, is the same answer, as far as the dialect
// can say it: as a stream and whole.
#include <gtest/gtest.h>

#include "base/concat.h"
#include "base/rng.h"
#include "dialect/answer_end.h"
#include "dialect/answer_reader.h"
#include "dialect/answer_writer.h"
#include "dialect/collected_answer.h"
#include "dialect/event_splitter.h"

namespace brigada {
namespace {

using Kind = AnswerBlock::Kind;

// --- random answers -----------------------------------------------------------------------------

/// Characters that are easily damaged, as they may stand in a string.
std::string random_text(Rng& rng) {
    constexpr std::string_view kPieces[] = {
        "a", " ", R"(\n)",           R"(\")",  "é",     "😀", R"(\\)", R"(\u00e9)",
        "{", "}", R"(\ud83d\ude00)", "data: ", R"(\/)", "[",  "日本"};
    std::string out;
    for (uint64_t i = rng.below(4) + 1; i > 0; --i)
        out += kPieces[rng.below(std::size(kPieces))];
    return out;
}

/// The pieces of a call's arguments; of one that is cut, the last are missing.
std::vector<std::string> random_arguments(Rng& rng, bool cut) {
    std::vector<std::string> out;
    if (rng.chance(0.2)) return out;
    out.push_back("{");
    for (uint64_t i = rng.below(3); i > 0; --i) {
        out.push_back(concat(R"(\")", escaped(random_text(rng)), R"(\":)"));
        out.push_back(concat(R"([\")", escaped(random_text(rng))));
        out.push_back(concat(R"(\",{}])", i > 1 ? "," : ""));
    }
    out.push_back("}");
    if (cut) out.resize(rng.below(out.size() + 1));
    return out;
}

struct RandomCall {
    uint32_t call;
    std::vector<std::string> pieces;  // those not told, in order
};

/// A row of events whose views live in `kept`.
class RandomAnswer {
  public:
    explicit RandomAnswer(uint64_t seed) : rng_(seed) {}

    std::vector<AnswerEvent> row(uint32_t choices) {
        events_ = {AnswerBegan{.id = {"id"}, .model = {"m"}}};
        for (uint32_t choice = 0; choice < choices; ++choice)
            tell_choice(choice);
        events_.push_back(random_usage());
        events_.push_back(AnswerEnded{});
        return std::move(events_);
    }

  private:
    void tell_choice(uint32_t choice) {
        const bool cut = rng_.chance(0.3);
        std::vector<RandomCall> open;
        uint32_t calls = 0;
        bool refused = false;
        for (uint64_t i = rng_.below(12); i > 0; --i) {
            const uint64_t kind = rng_.below(8);
            refused |= kind == 4;
            if (kind >= 6) {
                open.push_back({calls, random_arguments(rng_, cut)});
                events_.push_back(ToolCallBegan{choice, calls, keep(concat("id", calls)),
                                                keep(concat("tool", calls))});
                ++calls;
            } else if (kind == 5) {
                tell_a_piece(choice, open);
            } else {
                tell_text(choice, kind);
            }
        }
        while (!open.empty())
            tell_a_piece(choice, open);
        events_.push_back(ChoiceEnded{choice, random_end(calls > 0, refused, cut)});
    }

    void tell_text(uint32_t choice, uint64_t kind) {
        const Escaped text = keep(random_text(rng_));
        if (kind < 2) events_.push_back(TextDelta{choice, text});
        if (kind == 2) events_.push_back(ThinkingDelta{choice, text});
        if (kind == 3 && rng_.chance(0.5)) events_.push_back(ThinkingSigned{choice, text});
        if (kind == 3 && rng_.chance(0.3)) events_.push_back(RedactedThinking{choice, text});
        if (kind == 4) events_.push_back(RefusalDelta{choice, text});
    }

    void tell_a_piece(uint32_t choice, std::vector<RandomCall>& open) {
        if (open.empty()) return;
        const auto at = open.begin() + static_cast<ptrdiff_t>(rng_.below(open.size()));
        if (at->pieces.empty()) return static_cast<void>(open.erase(at));
        events_.push_back(ToolArgumentsDelta{choice, at->call, keep(at->pieces.front())});
        at->pieces.erase(at->pieces.begin());
    }

    AnswerEnd random_end(bool has_calls, bool refused, bool cut) {
        if (cut) return rng_.chance(0.5) ? AnswerEnd::length : AnswerEnd::content_filter;
        if (has_calls) return AnswerEnd::tool_calls;
        if (refused) return AnswerEnd::refusal;
        constexpr AnswerEnd kOthers[] = {AnswerEnd::stop, AnswerEnd::stop_sequence,
                                         AnswerEnd::refusal, AnswerEnd::paused};
        return kOthers[rng_.below(std::size(kOthers))];
    }

    UsageTold random_usage() {
        const auto count = [&] { return rng_.between(0, 100'000); };
        return {
            {.input = count(), .cached_input = count(), .cache_write = count(), .output = count()},
            count()};
    }

    Escaped keep(std::string text) {
        kept_.push_back(std::move(text));
        return {kept_.back()};
    }

    Rng rng_;
    std::deque<std::string> kept_;
    std::vector<AnswerEvent> events_;
};

// --- what a dialect makes of it -----------------------------------------------------------------

CollectedAnswer collected(const std::vector<AnswerEvent>& row) {
    CollectedAnswer out;
    for (const AnswerEvent& event : row)
        out.add(event);
    return out;
}

AnswerEnd end_in(Dialect dialect, AnswerEnd end, bool refused) {
    if (dialect == Dialect::messages)
        return end == AnswerEnd::content_filter ? AnswerEnd::refusal : end;
    if (end == AnswerEnd::refusal && !refused) return AnswerEnd::content_filter;
    return end == AnswerEnd::stop_sequence || end == AnswerEnd::paused ? AnswerEnd::stop : end;
}

/// A block as a line.
std::string shown(const AnswerBlock& block) {
    return concat(static_cast<int>(block.kind), " ", block.id, " ", block.name, " ",
                  unescaped(block.kind == Kind::call ? arguments_of(block) : Escaped{block.text}),
                  " ", unescaped({block.signature}));
}

/// Blocks as the dialect tells them: chat has one text of each kind and nothing sealed, Messages no
/// refusals.
std::vector<AnswerBlock> blocks_in(Dialect dialect, const CollectedChoice& choice) {
    std::vector<AnswerBlock> out;
    for (AnswerBlock block : choice.blocks) {
        const bool is_chat = dialect == Dialect::chat;
        if (is_chat && block.kind == Kind::redacted) continue;
        if (is_chat && block.kind == Kind::thinking && block.text.empty()) continue;
        if (is_chat) block.signature.clear(), block.sealed = false;
        if (dialect == Dialect::messages && block.kind == Kind::refusal) block.kind = Kind::text;
        const auto same = [&](const AnswerBlock& other) {
            return other.kind == block.kind && !other.sealed && block.kind != Kind::call;
        };
        const auto before = is_chat                            ? std::ranges::find_if(out, same)
                            : !out.empty() && same(out.back()) ? out.end() - 1
                                                               : out.end();
        if (before == out.end()) {
            out.push_back(std::move(block));
        } else {
            before->text += block.text;
            before->signature = block.signature;
            before->sealed = block.sealed;
        }
    }
    if (dialect == Dialect::chat)
        std::ranges::sort(
            out, {}, [](const AnswerBlock& block) { return std::pair(block.kind, block.call); });
    return out;
}

std::string normal(Dialect dialect, const CollectedAnswer& answer) {
    std::string out;
    for (const auto& [number, choice] : answer.choices) {
        if (number > 0 && dialect != Dialect::chat) continue;
        for (const AnswerBlock& block : blocks_in(dialect, choice))
            out += concat(number, ": ", shown(block), "\n");
        const AnswerEnd end = end_in(dialect, choice.end, choice.has(Kind::refusal));
        out += concat(number, " ended ", messages_stop_reason(end), "\n");
    }
    const Usage& usage = answer.usage->usage;
    return out + concat(usage.input, " ", usage.cached_input, " ", usage.cache_write, " ",
                        usage.output, " ", *answer.usage->reasoning_tokens);
}

CollectedAnswer through_stream(Dialect dialect, const std::vector<AnswerEvent>& row) {
    Conversation asked;
    asked.include_usage = true;
    const auto writer = make_answer_writer(dialect, {.id = "x", .asked = &asked});
    std::string stream;
    for (const AnswerEvent& event : row)
        writer->write(event, stream);
    const auto reader = make_answer_reader(dialect);
    CollectedAnswer out;
    EventSplitter splitter;
    std::string joined;
    for (const std::string_view event : splitter.feed(stream).value())
        reader->event(event_data(event, joined), [&](const AnswerEvent& e) { out.add(e); }).value();
    EXPECT_TRUE(reader->ended());
    return out;
}

CollectedAnswer through_whole(Dialect dialect, const std::vector<AnswerEvent>& row) {
    const auto writer = make_answer_writer(dialect, {.id = "x"});
    for (const AnswerEvent& event : row)
        writer->collect(event);
    CollectedAnswer out;
    make_answer_reader(dialect)
        ->whole(writer->whole(), [&](const AnswerEvent& e) { out.add(e); })
        .value();
    return out;
}

/// A whole message has the arguments as JSON: what was cut stands in an object.
bool has_cut_arguments(const CollectedAnswer& answer) {
    return answer.choices.at(0).end == AnswerEnd::length ||
           answer.choices.at(0).end == AnswerEnd::content_filter;
}

void expect_same(Dialect dialect, uint32_t choices) {
    for (uint64_t seed = 0; seed < 2'000; ++seed) {
        SCOPED_TRACE(seed);
        RandomAnswer random(seed);
        const std::vector<AnswerEvent> row = random.row(choices);
        const CollectedAnswer answer = collected(row);
        ASSERT_EQ(normal(dialect, through_stream(dialect, row)), normal(dialect, answer));
        if (dialect == Dialect::messages && has_cut_arguments(answer)) continue;
        ASSERT_EQ(normal(dialect, through_whole(dialect, row)), normal(dialect, answer));
    }
}

TEST(AnswerRoundTrip, in_chat) {
    expect_same(Dialect::chat, 2);
}

TEST(AnswerRoundTrip, in_messages) {
    expect_same(Dialect::messages, 2);
}

TEST(AnswerRoundTrip, in_responses) {
    expect_same(Dialect::responses, 2);
}

}  // namespace
}  // namespace brigada
