#include "gateway/throughput_meter.h"

#include <algorithm>

#include "base/check.h"

namespace brigada {

namespace {

int64_t per_second(int64_t tokens, int64_t ns) {
    const auto rate = static_cast<__int128>(tokens) * 1'000'000'000 / ns;
    return std::max<int64_t>(static_cast<int64_t>(rate), 1);
}

}  // namespace

void ThroughputMeter::advance(Instant now) {
    if (running_ > 0) share_ns_ += (now - advanced_).ns() / running_;
    advanced_ = now;
}

ThroughputMeter::Call ThroughputMeter::begin(Instant now) {
    advance(now);
    ++running_;
    return {.began_share = share_ns_};
}

void ThroughputMeter::first_token(Call& call, Instant now) {
    advance(now);
    call.first_token_share = share_ns_;
}

void ThroughputMeter::end(const Call& call, const std::optional<Usage>& usage, Instant now) {
    advance(now);
    CHECK(running_ > 0);
    --running_;
    if (!usage || !call.first_token_share) return;
    const int64_t number = span_number(now);
    Span& span = spans_[place_of(number)];
    if (span.number != number) span = {.number = number};
    span.reading_ns += *call.first_token_share - call.began_share;
    span.read_tokens += usage->input + usage->cache_write;
    span.writing_ns += share_ns_ - *call.first_token_share;
    span.written_tokens += usage->output;
}

std::optional<Throughput> ThroughputMeter::of_last_hour(Instant now) const {
    const int64_t current = span_number(now);
    Span sum;
    for (const Span& span : spans_) {
        if (span.number >= current || span.number + static_cast<int64_t>(kSpans) < current)
            continue;
        sum.reading_ns += span.reading_ns;
        sum.read_tokens += span.read_tokens;
        sum.writing_ns += span.writing_ns;
        sum.written_tokens += span.written_tokens;
    }
    if (sum.reading_ns < kLeast.ns() || sum.writing_ns < kLeast.ns()) return std::nullopt;
    return Throughput{.prefill_tokens_per_s = per_second(sum.read_tokens, sum.reading_ns),
                      .decode_tokens_per_s = per_second(sum.written_tokens, sum.writing_ns)};
}

}  // namespace brigada
