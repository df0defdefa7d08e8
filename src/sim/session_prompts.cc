#include "sim/session_prompts.h"

#include <algorithm>
#include <optional>

#include "base/check.h"

namespace brigada {

namespace {

/// The name of block `place` in a prompt whose first blocks are those of `before`.
std::optional<TokenId> name_at(const TraceCall& call, const Tokens& before, uint32_t place) {
    if (place < call.keep_blocks) return before.at(place);
    uint32_t left = place - call.keep_blocks;
    for (const BlockRun& run : call.added) {
        if (left < run.count) return TokenId{run.first + left};
        left -= run.count;
    }
    return std::nullopt;
}

/// A quarter more: the next prompt is a little longer.
template <typename Value>
void make_room(std::vector<Value>& values, size_t count) {
    if (values.capacity() < count) values.reserve(count + count / 4);
}

}  // namespace

void SessionPrompts::go_to(const TraceSession& session, size_t index, uint32_t block_tokens,
                           uint32_t& next_name, bool answers_return) {
    const TraceCall& call = session.calls[index];
    const TraceCall* next = index + 1 < session.calls.size() ? &session.calls[index + 1] : nullptr;
    shared_blocks_ = keeps_answer_ ? UINT32_MAX : call.keep_blocks;
    make_room(names_, blocks_of(call.prompt_tokens, block_tokens));
    names_.resize(call.keep_blocks);
    for (const BlockRun& run : call.added)
        for (uint32_t i = 0; i < run.count; ++i)
            names_.push_back(TokenId{run.first + i});

    const uint32_t full = call.prompt_tokens / block_tokens;
    CHECK(names_.size() >= full, names_.size(), " blocks for ", call.prompt_tokens, " tokens");
    keys_.resize(std::min<size_t>({call.keep_blocks, keys_.size(), full}));
    make_room(keys_, full);
    while (keys_.size() < full) {
        const auto parent = keys_.empty() ? std::nullopt : std::optional(keys_.back());
        keys_.push_back(chain_key(parent, local_hash(std::span(&names_[keys_.size()], 1))));
    }
    name_answer(call, next, block_tokens, next_name, answers_return);
}

// The prompt's last block, when it is not full, and those of the answer: what the next prompt calls
// them if it keeps the answer. What the trace does not name is met by nobody.
void SessionPrompts::name_answer(const TraceCall& call, const TraceCall* next,
                                 uint32_t block_tokens, uint32_t& next_name, bool answers_return) {
    const auto full = static_cast<uint32_t>(keys_.size());
    const uint64_t total = uint64_t{call.prompt_tokens} + call.output_tokens;
    const auto blocks = static_cast<uint32_t>((total + block_tokens - 1) / block_tokens);
    keeps_answer_ =
        answers_return && next && next->keep_blocks >= full && next->prompt_tokens >= total;
    const bool has_tail = call.prompt_tokens % block_tokens > 0;
    tail_.reset();
    answer_.clear();
    for (uint32_t place = full; place < blocks; ++place) {
        std::optional<TokenId> name;
        if (keeps_answer_)
            name = name_at(*next, names_, place);
        else if (place == full && has_tail && names_.size() > full)
            name = names_[full];
        const TokenId id = name ? *name : TokenId{next_name++};
        if (place == full && has_tail)
            tail_ = id;
        else
            answer_.push_back(id);
    }
}

Tokens SessionPrompts::ids() const {
    Tokens ids;
    ids.reserve(keys_.size() + 1);
    ids.assign(names_.begin(), names_.begin() + static_cast<ptrdiff_t>(keys_.size()));
    if (tail_) ids.push_back(*tail_);
    return ids;
}

}  // namespace brigada
