#include "load/transcript.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

constexpr uint32_t kNobody = UINT32_MAX;
constexpr std::string_view kToolName = "read_file";

}  // namespace

Tool transcript_tool() {
    return {.name = {kToolName},
            .description = {"Reads a file and returns its text."},
            .schema = {R"({"type":"object","properties":{"path":{"type":"string"}},)"
                       R"("required":["path"]})"}};
}

BlockTexts::BlockTexts(const Trace& trace) : shared_(trace.names) {
    std::vector<uint32_t> owner(trace.names, kNobody);
    for (uint32_t session = 0; session < trace.sessions.size(); ++session)
        for (const TraceCall& call : trace.sessions[session].calls)
            for (const BlockRun& run : call.added)
                for (uint32_t name = run.first; name < run.first + run.count; ++name) {
                    if (owner[name] == kNobody) owner[name] = session;
                    if (owner[name] != session) shared_[name] = true;
                }
}

uint64_t BlockTexts::key(uint32_t name, uint32_t round) const {
    const uint64_t salt = shared_[name] ? 0 : uint64_t{round} << 32;
    return salt | name;
}

Transcript::Transcript(const Trace& trace, const TraceSession& session, const BlockTexts& blocks,
                       const PromptText& text, TranscriptOptions options, uint32_t round)
    : trace_(trace),
      session_(session),
      block_texts_(blocks),
      text_(text),
      options_(options),
      round_(round) {}

void Transcript::advance_to(uint32_t number) {
    CHECK(number < session_.calls.size() && number + 1 >= next_call_, "call ", number, " of ",
          session_.name);
    while (next_call_ <= number)
        add_call(next_call_++);
}

void Transcript::add_call(uint32_t number) {
    const TraceCall& call = session_.calls[number];
    const bool extending = extends(call);
    CHECK(call.keep_blocks <= blocks_.size(), "a call keeps blocks that were not there");
    blocks_.resize(call.keep_blocks);
    for (const BlockRun& run : call.added)
        for (uint32_t i = 0; i < run.count; ++i)
            blocks_.push_back(run.first + i);
    const uint32_t before = prompt_tokens_;
    prompt_tokens_ = call.prompt_tokens;
    if (number == 0) {
        const uint32_t system = std::min(session_.system_tokens, call.prompt_tokens - 1);
        owed_ += options_.cost.call;
        if (system > 0) add(Kind::system, system, options_.cost.message);
        add(Kind::user, call.prompt_tokens, options_.cost.message);
        return;
    }
    if (!extending)
        keep_beginning(std::min(call.keep_blocks * trace_.block_tokens, call.prompt_tokens - 1));
    add_answer_and_reaction(call, extending ? std::min(session_.calls[number - 1].output_tokens,
                                                       call.prompt_tokens - before)
                                            : 0);
}

/// Whether the prompt of `call` begins with all of the one before.
bool Transcript::extends(const TraceCall& call) const {
    return !blocks_.empty() && call.prompt_tokens > prompt_tokens_ &&
           call.keep_blocks >= prompt_tokens_ / trace_.block_tokens;
}

// A branch, or a compacted context: the messages up to that token, the last of them cut.
void Transcript::keep_beginning(uint32_t tokens) {
    while (!parts_.empty() && parts_.back().begin >= tokens)
        parts_.pop_back();
    if (parts_.empty() || parts_.back().end <= tokens) return;
    Part& cut = parts_.back();
    const bool whole = cut.begin + 1 < tokens;  // else nothing of it is left but its markup
    cut.end = tokens;
    if (whole)
        cut.text = text_between(cut.begin, tokens, cut.more);
    else
        parts_.pop_back();
}

// The assistant's turn gets what the answer had, as far as there is room for a reaction behind it.
void Transcript::add_answer_and_reaction(const TraceCall& call, uint32_t answer_tokens) {
    const bool tool = !call.user && options_.uses_tools;
    const double markup = options_.cost.message + (tool ? options_.cost.tool_step / 2 : 0);
    const auto least = static_cast<uint32_t>(std::ceil(markup)) + 1;
    const uint32_t room = call.prompt_tokens - position();
    const bool after_assistant = !parts_.empty() && (parts_.back().kind == Kind::assistant ||
                                                     parts_.back().kind == Kind::tool_call);
    if (!after_assistant && answer_tokens > 0 && room >= 2 * least) {
        const uint32_t answer = std::clamp(answer_tokens, least, room - least);
        add(tool ? Kind::tool_call : Kind::assistant, position() + answer, markup);
    }
    const bool answers_tool = !parts_.empty() && parts_.back().kind == Kind::tool_call;
    add(answers_tool ? Kind::tool_result : Kind::user, call.prompt_tokens,
        answers_tool ? options_.cost.message + options_.cost.tool_step / 2 : options_.cost.message);
}

// A message up to this token: its text is as much shorter as its markup is long, and as the prompt
// is too long already. What does not fit is owed by the next one.
void Transcript::add(Kind kind, uint32_t end, double markup) {
    const uint32_t begin = position();
    CHECK(end > begin, "a message without a token");
    owed_ += markup;
    const double room = end - begin - 1;
    const double fewer = std::clamp(std::round(owed_), -room / 2, room);
    owed_ -= fewer;
    Part part{.kind = kind, .begin = begin, .end = end};
    part.more = static_cast<uint32_t>(std::max(-fewer, 0.0));
    part.text = text_between(begin, end - static_cast<uint32_t>(std::max(fewer, 0.0)), part.more);
    if (kind == Kind::tool_call)
        part.call_id = concat("call_", parts_.size());
    else if (kind == Kind::tool_result)
        part.call_id = parts_.back().call_id;
    parts_.push_back(std::move(part));
}

void Transcript::correct(int64_t counted) {
    constexpr double kBelieved = 0.25;  // of the prompt
    const double over = static_cast<double>(counted) - prompt_tokens_;
    if (std::abs(over) <= kBelieved * prompt_tokens_) owed_ = over;
}

std::string Transcript::text_between(uint32_t begin, uint32_t end, uint32_t more) const {
    std::string out;
    out.reserve(static_cast<size_t>((end - begin + more) * (text_.bytes_per_token() + 0.5)));
    const uint32_t block_tokens = trace_.block_tokens;
    int64_t owed = int64_t{more} * 1'000;
    while (begin < end) {
        const uint32_t block = begin / block_tokens, from = begin % block_tokens;
        CHECK(block < blocks_.size(), "the prompt is longer than its blocks");
        const uint32_t tokens = std::min(block_tokens - from, end - begin);
        const uint64_t name = block_texts_.key(blocks_[block], round_);
        owed = text_.append(out, prompt_text_key(name, from), tokens, owed);
        begin += tokens;
    }
    return out;
}

Conversation Transcript::conversation() const {
    static constexpr std::string_view kInput = R"({"path":"notes.txt"})";
    Conversation out;
    out.messages.reserve(parts_.size());
    for (const Part& part : parts_) {
        const TextBlock text{.text = {part.text}};
        switch (part.kind) {
            case Kind::system:
                out.messages.push_back({.role = Role::system, .blocks = {text}});
                break;
            case Kind::user:
                out.messages.push_back({.role = Role::user, .blocks = {text}});
                break;
            case Kind::assistant:
                out.messages.push_back({.role = Role::assistant, .blocks = {text}});
                break;
            case Kind::tool_call:
                out.messages.push_back({.role = Role::assistant,
                                        .blocks = {text, ToolCallBlock{.id = {part.call_id},
                                                                       .name = {kToolName},
                                                                       .input = RawJson{kInput}}}});
                break;
            case Kind::tool_result:
                out.messages.push_back(
                    {.role = Role::user,
                     .blocks = {ToolResultBlock{.call_id = {part.call_id}, .content = {text}}}});
                break;
        }
    }
    if (options_.uses_tools) out.tools.push_back(transcript_tool());
    return out;
}

}  // namespace brigada
