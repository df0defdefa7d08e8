// CallRecord: one client's call that reached an upstream, as the ledger keeps it: who asked, what
// was served by whom, how it ended, the tokens and what they cost. Its bytes carry a version, and
// skip over fields a newer version added.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/money.h"
#include "base/result.h"
#include "base/token_rates.h"
#include "base/usage.h"
#include "base/wall_time.h"
#include "ledger/record_id.h"

namespace brigada {

/// How a call, or one attempt of it, ended. The numbers are in files: only add.
enum class CallStatus : uint8_t {
    ok = 0,
    upstream_error = 1,  // an error status, or no connection
    aborted = 2,         // the client left
    timeout = 3,
    cut = 4,   // the stream broke after its first byte
    lost = 5,  // the gateway died while the call ran
};
inline constexpr int kCallStatuses = 6;

std::string_view to_string(CallStatus status);

/// One try at one upstream. A call has as many as it failed over, and one more.
struct CallAttempt {
    std::string upstream = {};
    CallStatus status = CallStatus::ok;
    int http_status = 0;  // 0: no answer came
    WallTime started = {};
    WallTime ended = {};

    bool operator==(const CallAttempt&) const = default;
};

struct CallRecord {
    RecordId id = {};
    WallTime started = {};
    WallTime first_byte = {};  // 0: none was sent
    WallTime ended = {};

    std::string organisation = {};
    std::string team = {};
    std::string user = {};
    std::string key = {};  // the key's id, never the key
    std::string end_user = {};

    std::string session = {};
    std::string model_asked = {};
    std::string model_served = {};
    std::string upstream = {};
    std::string dialect = {};

    CallStatus status = CallStatus::ok;
    int http_status = 0;  // what the client saw
    Usage usage = {};
    bool usage_counted_here = false;  // the upstream sent none: these tokens are our count
    Money cost = {};
    TokenRates rates = {};  // by which it cost that: a price that changes changes no history
    int64_t fee = 0;        // pico-dollars for the call itself
    std::vector<CallAttempt> attempts = {};
    std::vector<std::string> tags = {};

    bool operator==(const CallRecord&) const = default;
};

/// What clients and upstreams claim is bounded before it is kept: a long name must not grow the
/// log, and a sum over years of calls must not overflow (10^6 such calls stay below 2^63).
struct RecordBounds {
    size_t text_bytes = 512;  // cut at a character's border
    size_t attempts = 64;     // the last ones
    size_t tags = 64;
};
inline constexpr int64_t kCallTokens = 1'000'000'000'000;
inline constexpr Money kCallCost = Money::dollars(9'000);

/// The bytes of the record, with texts and lists cut, and tokens and cost clamped into [0, limit].
std::string encode(const CallRecord& record, const RecordBounds& bounds = {});

/// Error::unsupported for a newer version, ::corrupt for anything that is not a record.
Result<CallRecord> decode_call_record(std::string_view bytes);

}  // namespace brigada
