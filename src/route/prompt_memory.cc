#include "route/prompt_memory.h"

#include <algorithm>

#include "base/check.h"
#include "base/ids.h"

namespace brigada {
namespace {

constexpr size_t kPrompts = 3;            // the conversation and two kinds of side calls
constexpr size_t kMarkedBlocks = 65'536;  // a million tokens in blocks of 16

uint8_t mark(BlockKey key) {
    return static_cast<uint8_t>(raw(key) >> 56);
}

}  // namespace

uint32_t RememberedPrompt::common_blocks(std::span<const BlockKey> keys) const {
    const auto here = std::ranges::mismatch(marks, keys, {}, {}, mark).in1;
    return static_cast<uint32_t>(here - marks.begin());
}

void PromptMemory::remember(std::span<const BlockKey> keys, const ReadAt& read_at) {
    const auto is_continued = [&](const RememberedPrompt& prompt) {
        return prompt.read_at.model == read_at.model &&
               prompt.common_blocks(keys) * 2 >= prompt.marks.size();
    };
    const auto continued = std::ranges::find_if(prompts_, is_continued);
    if (continued != prompts_.end())
        prompts_.erase(continued);
    else if (prompts_.size() == kPrompts)
        prompts_.erase(prompts_.begin());
    const auto marked = keys.first(std::min(keys.size(), kMarkedBlocks));
    RememberedPrompt& newest = prompts_.emplace_back(RememberedPrompt{.read_at = read_at});
    newest.marks.resize(marked.size());
    std::ranges::transform(marked, newest.marks.begin(), mark);
}

const RememberedPrompt* PromptMemory::closest(std::span<const BlockKey> keys, ModelId model) const {
    const RememberedPrompt* best = nullptr;
    for (const RememberedPrompt& prompt : prompts_) {
        if (prompt.read_at.model != model) continue;
        if (!best || prompt.common_blocks(keys) >= best->common_blocks(keys)) best = &prompt;
    }
    return best;
}

size_t PromptMemory::bytes() const {
    size_t bytes = prompts_.capacity() * sizeof(RememberedPrompt);
    for (const RememberedPrompt& prompt : prompts_)
        bytes += prompt.marks.capacity();
    return bytes;
}

void PromptMemory::check() const {
    CHECK(prompts_.size() <= kPrompts);
    for (const RememberedPrompt& prompt : prompts_)
        CHECK(prompt.marks.size() <= kMarkedBlocks);
}

}  // namespace brigada
