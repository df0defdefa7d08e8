// CountingDesk: where prompts are counted. What is short, or mostly known from the turn before, is
// counted on the loop at once; the rest on a thread of its own, so that the loop never stands still
// for longer than a few milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gateway/token_counters.h"
#include "net/loop.h"
#include "net/worker.h"

namespace brigada {

class CountingDesk {
  public:
    /// `random` makes the keys of what is remembered nobody else's.
    CountingDesk(Loop& loop, uint64_t random);

    /// The tokens of a prompt of `tenant`. What `source` borrows must live until the answer.
    /// Nothing when it can't be counted: the template refuses it, it holds more than text, or too
    /// many wait. Loop thread.
    Task<std::optional<int64_t>> count(CounterRef counter, PromptSource source,
                                       std::string_view tenant);

    /// Finishes what waits. Not on the loop.
    void stop() { worker_.stop(); }

  private:
    Task<Result<CountedPrompt>> count_whole(const CounterRef& counter, const PromptTurn& turn,
                                            const ContentKey& salt);

    Loop& loop_;
    const uint64_t random_;
    CountMemo prompts_;      // loop thread
    StretchMemo stretches_;  // the worker's
    Worker worker_;
};

}  // namespace brigada
