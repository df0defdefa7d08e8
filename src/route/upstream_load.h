// UpstreamLoad: what one upstream is busy with, from the beginnings and ends of the calls we sent
// there. Load is work that is still to be done: prompt tokens not read yet and sequences that
// decode, never the KV that lies there.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "route/call.h"

namespace brigada {

class UpstreamLoad {
  public:
    /// A call is on its way; `uncached_tokens` of its prompt have to be read. Ids are new.
    void begin(CallId call, int64_t uncached_tokens, Instant now);

    /// Its first token came: the prompt is read, it decodes. Later tokens change nothing.
    void first_token(CallId call, Instant now);

    /// It is over, in whatever phase. Only calls that were answered count in the latency.
    void end(CallId call, bool answered, Instant now);

    uint32_t calls() const { return static_cast<uint32_t>(calls_.size()); }
    uint32_t decoding() const { return decoding_; }
    int64_t pending_tokens() const { return pending_tokens_; }

    /// Pending tokens less what the prompt that is being read has had time for at this rate.
    int64_t pending_tokens_at(Instant now, int64_t tokens_per_s) const;

    /// From begin to end, a moving average; zero until the first answer.
    Duration latency() const { return latency_; }

    void check() const;

  private:
    struct Running {
        CallId id{};
        int64_t uncached_tokens = 0;
        Instant began;
        bool decodes = false;
    };

    Running& running(CallId call);
    void prompt_read(const Running& call, Instant now);
    int64_t oldest_unread() const;

    std::vector<Running> calls_;  // in the order they began, in which prompts are read
    uint32_t decoding_ = 0;
    int64_t pending_tokens_ = 0;
    int64_t reading_tokens_ = 0;  // of the oldest prompt that is still unread
    Instant reading_since_;       // when it began to be read
    Duration latency_;
};

}  // namespace brigada
