#include "route/upstream_load.h"

#include <algorithm>

#include "base/check.h"

namespace brigada {
namespace {

// Each answer moves the average by an eighth of the difference: about ten calls of memory.
constexpr int64_t kLatencyWindow = 8;

}  // namespace

void UpstreamLoad::begin(CallId call, int64_t uncached_tokens, Instant now) {
    CHECK(uncached_tokens >= 0, uncached_tokens);
    CHECK(std::ranges::find(calls_, call, &Running::id) == calls_.end(), "call ", raw(call),
          " runs already");
    if (calls_.size() == decoding_) {
        reading_since_ = now;
        reading_tokens_ = uncached_tokens;
    }
    calls_.push_back({.id = call, .uncached_tokens = uncached_tokens, .began = now});
    pending_tokens_ += uncached_tokens;
}

void UpstreamLoad::first_token(CallId call, Instant now) {
    Running& here = running(call);
    if (here.decodes) return;
    prompt_read(here, now);
    here.decodes = true;
    ++decoding_;
    reading_tokens_ = oldest_unread();
}

void UpstreamLoad::end(CallId call, bool answered, Instant now) {
    const Running& here = running(call);
    if (here.decodes)
        --decoding_;
    else
        prompt_read(here, now);
    if (answered) {
        const Duration took = now - here.began;
        const bool is_first = latency_ == Duration();
        latency_ = is_first ? took : latency_ + (took - latency_) / kLatencyWindow;
    }
    std::erase_if(calls_, [&](const Running& other) { return other.id == call; });
    reading_tokens_ = oldest_unread();
}

UpstreamLoad::Running& UpstreamLoad::running(CallId call) {
    const auto place = std::ranges::find(calls_, call, &Running::id);
    CHECK(place != calls_.end(), "call ", raw(call), " does not run here");
    return *place;
}

void UpstreamLoad::prompt_read(const Running& call, Instant now) {
    pending_tokens_ -= call.uncached_tokens;
    reading_since_ = now;
}

int64_t UpstreamLoad::oldest_unread() const {
    const auto oldest = std::ranges::find(calls_, false, &Running::decodes);
    return oldest == calls_.end() ? 0 : oldest->uncached_tokens;
}

int64_t UpstreamLoad::pending_tokens_at(Instant now, int64_t tokens_per_s) const {
    if (pending_tokens_ == 0) return 0;
    constexpr int64_t kSecond = 1'000'000'000;
    const int64_t elapsed_ns = std::max<int64_t>((now - reading_since_).ns(), 0);
    const int64_t had_time_for =
        elapsed_ns / kSecond * tokens_per_s + elapsed_ns % kSecond * tokens_per_s / kSecond;
    return pending_tokens_ - std::min(had_time_for, reading_tokens_);
}

void UpstreamLoad::check() const {
    uint32_t decoding = 0;
    int64_t pending = 0;
    for (const Running& call : calls_) {
        CHECK(call.uncached_tokens >= 0, "call ", raw(call.id));
        decoding += call.decodes ? 1 : 0;
        pending += call.decodes ? 0 : call.uncached_tokens;
    }
    CHECK(decoding == decoding_, decoding, " decode, the books say ", decoding_);
    CHECK(oldest_unread() == reading_tokens_, oldest_unread(), " being read, the books say ",
          reading_tokens_);
    CHECK(pending == pending_tokens_, pending, " pending, the books say ", pending_tokens_);
}

}  // namespace brigada
