// PromptCounter: how many tokens a call's prompt has for one model: what its chat template renders,
// tokenised. A turn that extends one counted before costs what is new in it, and comes to the same
// number. Const once made: any number of threads may count.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/count/append_law.h"
#include "gateway/count/count_memo.h"
#include "gateway/count/prompt_model.h"
#include "gateway/count/prompt_source.h"
#include "jinja/sought_texts.h"

namespace brigada {

/// A prompt cut into messages. It borrows the body.
struct PromptTurn {
    PromptSource source = {};           // of completions the prompt is its only message
    std::vector<ContentKey> keys = {};  // [n] covers all around the messages and the first n
    int64_t now_unix = 0;

    size_t bytes() const;
    const ContentKey& key() const { return keys.back(); }
};

class PromptCounter {
  public:
    /// Tries the template out, see find_append_law().
    explicit PromptCounter(PromptModel model);

    /// `salt` names tenant and counter. Errors: invalid_argument when the messages are no list of
    /// objects, unsupported for a dialect whose prompts are not counted, or for messages when the
    /// model has no chat template.
    Result<PromptTurn> read(PromptSource source, const ContentKey& salt, int64_t now_unix) const;

    /// From a turn that `memo` knows, when reading at most `most_bytes` leads to one and the
    /// template lets the rest be appended.
    std::optional<CountedPrompt> count_appended(const PromptTurn& turn, CountMemo& memo,
                                                size_t most_bytes) const;

    /// From scratch, but for stretches in `known`, which may be null. Errors: invalid_argument with
    /// the template's words when it refuses the conversation; unsupported for what is not text.
    Result<CountedPrompt> count_whole(const PromptTurn& turn, StretchCounts* known) const;

    /// A plain text, as a prompt of completions has it.
    int64_t count_text(std::string_view text) const;
    /// Of an answer: no BOS.
    int64_t count_output(std::string_view text) const;

    const AppendLaw& law() const { return law_; }
    bool has_template() const { return model_.chat_template.has_value(); }

  private:
    Result<void> check_conversation(const PromptSource& source) const;
    Result<CountedPrompt> count_conversation(const PromptTurn& turn, StretchCounts* known) const;
    Result<CountedPrompt> count_prompt(std::string_view raw) const;
    std::optional<CountedPrompt> append(const PromptTurn& turn, int64_t tokens_before,
                                        const Json& shape, const Json& more) const;
    Result<int64_t> tokens_of(const ChatInput& conversation) const;
    bool is_plain(const PromptTurn& turn) const;
    bool is_sought(const Json& message) const;
    bool is_sought(std::string_view text) const;

    PromptModel model_;
    AppendLaw law_;
    jinja::SoughtTexts sought_;
    int64_t clock_step_ = 0;  // seconds in which the template's clock stands still; 0: it has none
};

}  // namespace brigada
