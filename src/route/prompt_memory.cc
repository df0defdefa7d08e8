#include "route/prompt_memory.h"

#include <algorithm>
#include <utility>

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

PromptMarks marks_of(std::span<const BlockKey> keys) {
    const auto marked = keys.first(std::min(keys.size(), kMarkedBlocks));
    PromptMarks marks(marked.size());
    std::ranges::transform(marked, marks.begin(), mark);
    return marks;
}

uint32_t RememberedPrompt::common_blocks(const PromptMarks& other) const {
    return static_cast<uint32_t>(std::ranges::mismatch(marks, other).in1 - marks.begin());
}

void PromptMemory::remember(PromptMarks marks, const ReadAt& read_at) {
    const auto is_continued = [&](const RememberedPrompt& prompt) {
        return prompt.read_at.model == read_at.model &&
               prompt.common_blocks(marks) * 2 >= prompt.marks.size();
    };
    const auto continued = std::ranges::find_if(prompts_, is_continued);
    if (continued != prompts_.end())
        prompts_.erase(continued);
    else if (prompts_.size() == kPrompts)
        prompts_.erase(prompts_.begin());
    prompts_.push_back({.read_at = read_at, .marks = std::move(marks)});
}

const RememberedPrompt* PromptMemory::closest(const PromptMarks& marks, ModelId model) const {
    const RememberedPrompt* best = nullptr;
    for (const RememberedPrompt& prompt : prompts_) {
        if (prompt.read_at.model != model) continue;
        if (!best || prompt.common_blocks(marks) >= best->common_blocks(marks)) best = &prompt;
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
