#include "gateway/counting_desk.h"

#include <utility>

#include "base/wall_time.h"

namespace brigada {

namespace {

/// New text costs about 35 ns a byte to read, render and tokenise: below 2 ms.
constexpr size_t kMostOnLoop = 48 << 10;

constexpr size_t kPromptBytes = 32 << 20;   // some 50,000 turns
constexpr size_t kStretchBytes = 64 << 20;  // some 500,000 messages
constexpr size_t kMostWaiting = 256;

}  // namespace

CountingDesk::CountingDesk(Loop& loop, uint64_t random)
    : loop_(loop),
      random_(random),
      prompts_(kPromptBytes),
      stretches_(kStretchBytes),
      worker_("counting", kMostWaiting) {}

Task<std::optional<int64_t>> CountingDesk::count(CounterRef counter, PromptSource source,
                                                 std::string_view tenant) {
    const ContentKey salt = content_key({random_, counter->number}, tenant);
    const PromptCounter& its = counter->counter;
    const int64_t now = WallClock().now().ns / 1'000'000'000;
    const auto turn = its.read(std::move(source), salt, now);
    if (!turn.ok()) co_return std::nullopt;
    std::optional<CountedPrompt> counted = its.count_appended(*turn, prompts_, kMostOnLoop);
    if (!counted) {
        auto whole = co_await count_whole(counter, *turn, salt);
        if (!whole.ok()) co_return std::nullopt;
        counted = *std::move(whole);
    }
    const int64_t tokens = counted->tokens;
    prompts_.put(turn->key(), *std::move(counted));
    co_return tokens;
}

Task<Result<CountedPrompt>> CountingDesk::count_whole(const CounterRef& counter,
                                                      const PromptTurn& turn,
                                                      const ContentKey& salt) {
    if (turn.bytes() <= kMostOnLoop) co_return counter->counter.count_whole(turn, nullptr);
    co_return co_await worker_.run<CountedPrompt>(loop_, [this, &counter, &turn, salt] {
        SaltedStretches known(stretches_, salt);
        return counter->counter.count_whole(turn, &known);
    });
}

}  // namespace brigada
