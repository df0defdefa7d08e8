// ThroughputMeter: how many tokens an upstream handles in a second, as its calls show. While n
// calls run, each has an n-th of it; a call's seconds until its first token are spent on reading
// its prompt, those after it on writing. The sums of the last hour then say how many tokens a
// second of each kind is worth, in the terms of EngineHour. Pure: no clock.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "admit/engine_hour.h"
#include "base/time.h"
#include "base/usage.h"

namespace brigada {

class ThroughputMeter {
  public:
    /// The figure changes when a span is over, and is that of the whole spans of the last hour: two
    /// calls that begin within one span have one price.
    static constexpr Duration kSpan = Duration::seconds(300);
    static constexpr size_t kSpans = 12;

    /// Seconds of reading, and of writing, before there is a figure.
    static constexpr Duration kLeast = Duration::seconds(60);

    /// A running call, kept by whoever runs it.
    struct Call {
        int64_t began_share = 0;                        // the meter's, when it began
        std::optional<int64_t> first_token_share = {};  // when writing began
    };

    Call begin(Instant now);
    void first_token(Call& call, Instant now);
    /// `usage` of an answer that came whole, as the upstream reported it. Another call, or one
    /// that never showed its first token, counts as one that ran, and in no sum.
    void end(const Call& call, const std::optional<Usage>& usage, Instant now);

    /// Nothing until enough was seen.
    std::optional<Throughput> of_last_hour(Instant now) const;

  private:
    struct Span {
        int64_t number = -1;  // since the clock's origin
        int64_t reading_ns = 0;
        int64_t read_tokens = 0;
        int64_t writing_ns = 0;
        int64_t written_tokens = 0;
    };

    void advance(Instant now);
    static int64_t span_number(Instant now) { return now.ns() / kSpan.ns(); }
    static size_t place_of(int64_t span) { return static_cast<size_t>(span) % (kSpans + 1); }

    int64_t running_ = 0;
    int64_t share_ns_ = 0;  // what a call that ran since the beginning would have had for itself
    Instant advanced_;
    std::array<Span, kSpans + 1> spans_;  // and the one that is not over
};

}  // namespace brigada
