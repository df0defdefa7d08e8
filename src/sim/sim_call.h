// SimCall: what became of one call of a simulation; the report is made of these.
#pragma once

#include <cstdint>

#include "admit/priority.h"
#include "base/time.h"
#include "route/miss_cause.h"

namespace brigada {

/// What of a prompt was loaded into a replica's KV instead of being computed there.
struct KvLoaded {
    uint32_t ram_tokens = 0;
    uint32_t disk_tokens = 0;
    Duration took;               // with waiting for others
    uint32_t remote_tokens = 0;  // from the replica that read them
    Duration transfer;           // of those
};

struct SimCall {
    uint32_t session = 0;
    uint32_t call = 0;  // of the session
    uint32_t tenant = 0;
    uint32_t model = 0;
    PriorityClass priority = PriorityClass::standard;
    bool user = false;  // begins a turn
    bool failed = false;
    bool interrupted = false;
    MissCause cause = MissCause::none;
    uint32_t lost_tokens = 0;
    uint32_t prompt_tokens = 0;
    uint32_t cached_tokens = 0;  // what was loaded among them
    KvLoaded loaded;
    bool read_elsewhere = false;
    uint32_t output_tokens = 0;
    Instant sent;   // for the first time
    Instant first;  // token
    Instant ended;

    double ttft_s() const { return (first - sent).seconds(); }
    double call_s() const { return (ended - sent).seconds(); }
    double tpot_s() const {
        return output_tokens > 1 ? (ended - first).seconds() / (output_tokens - 1) : 0;
    }
};

}  // namespace brigada
