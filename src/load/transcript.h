// Transcript: the conversation of one session of a trace, made of text, as its client would send
// it. Each call adds to the messages of the one before: the recorded answer as the assistant's turn
// (never what the server really said, so that prompts are the same for every server), then the
// user's words or a tool's result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dialect/conversation.h"
#include "load/prompt_text.h"
#include "trace/trace.h"

namespace brigada {

/// What a server's chat template adds to the texts, in tokens.
struct TemplateCost {
    double call = 0;       // once per prompt: its beginning, tools, the opening of the answer
    double message = 0;    // each message
    double tool_step = 0;  // a tool call and its result, beyond two messages
    bool operator==(const TemplateCost&) const = default;
};

struct TranscriptOptions {
    TemplateCost cost = {};
    bool uses_tools = true;  // else results of tools are words of the user
};

/// Which text stands for a block: blocks that only one session has get new text in each round of
/// the trace, so that a cache does not know them already.
class BlockTexts {
  public:
    explicit BlockTexts(const Trace& trace);

    uint64_t key(uint32_t name, uint32_t round) const;

  private:
    std::vector<bool> shared_;  // by name: whether two sessions have it
};

class Transcript {
  public:
    /// All but `session` outlive it. `round` as of DueCall.
    Transcript(const Trace& trace, const TraceSession& session, const BlockTexts& blocks,
               const PromptText& text, TranscriptOptions options, uint32_t round);

    /// Goes on to the prompt of the session's call `number`, which is not before the one it is at:
    /// those between are played, too.
    void advance_to(uint32_t number);

    /// The server counted so many tokens in the prompt as it stands: what was too much or too
    /// little is made up for by the next texts. A count that is far off is not believed.
    void correct(int64_t counted);

    /// The prompt as it stands. Views refer into this transcript, until it advances.
    Conversation conversation() const;

    /// Tokens that the texts and the template's additions are meant to be.
    uint32_t prompt_tokens() const { return prompt_tokens_; }

  private:
    enum class Kind : uint8_t { system, user, assistant, tool_call, tool_result };
    struct Part {
        Kind kind = Kind::user;
        uint32_t begin = 0, end = 0;  // tokens of the prompt it stands for, markup included
        uint32_t more = 0;            // tokens of text beyond that
        std::string text = {};        // escaped
        std::string call_id = {};     // of a tool call and its result
    };

    void add_call(uint32_t number);
    bool extends(const TraceCall& call) const;
    void keep_beginning(uint32_t tokens);
    void add_answer_and_reaction(const TraceCall& call, uint32_t answer_tokens);
    void add(Kind kind, uint32_t end, double markup);
    std::string text_between(uint32_t begin, uint32_t end, uint32_t more) const;
    uint32_t position() const { return parts_.empty() ? 0 : parts_.back().end; }

    const Trace& trace_;
    const TraceSession& session_;
    const BlockTexts& block_texts_;
    const PromptText& text_;
    TranscriptOptions options_;
    uint32_t round_;

    uint32_t next_call_ = 0;
    std::vector<uint32_t> blocks_;  // names of the prompt's blocks
    std::vector<Part> parts_;
    uint32_t prompt_tokens_ = 0;
    double owed_ = 0;  // tokens that are too many so far, or too few: the next text has fewer
};

/// The tool that all transcripts use.
Tool transcript_tool();

}  // namespace brigada
