// CallAttempt: one request to the endpoint and the answer to it, timed as it comes. Whoever started
// it may cut it off.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "load/call_result.h"
#include "load/stream_meter.h"
#include "net/http_client.h"

namespace brigada {

/// What an attempt came to, when it was no success.
struct CallFailure {
    int status = 0;            // of HTTP; 0: no answer
    std::string cause = {};    // few words, the same for the same cause
    std::string example = {};  // all that was said
    HttpHeaders headers = {};
    bool retriable = true;  // not once a part of the answer was there
};

CallFailure failure_of(const Error& error);

/// Sends calls, and knows those under way. Loop thread only.
class CallAttempts {
  public:
    explicit CallAttempts(Loop& loop) : loop_(loop), client_(loop, {.idle_per_host = 65'536}) {}

    /// Fills in the times of `result` and feeds `meter`. nullopt: the answer is whole. `head` lives
    /// until this returns.
    Task<std::optional<CallFailure>> run(const HttpCall& head, std::string body, CallResult& result,
                                         StreamMeter& meter);

    /// All attempts under way return soon.
    void abort_all();

    uint64_t opened_connections() const { return client_.opened_connections(); }

  private:
    Task<std::optional<CallFailure>> read_answer(HttpExchange& exchange,
                                                 const HttpResponseHead& head, CallResult& result,
                                                 StreamMeter& meter);
    Task<Result<void>> read_body(HttpExchange& exchange, bool streams, CallResult& result,
                                 StreamMeter& meter);

    Loop& loop_;
    HttpClient client_;
    std::set<HttpExchange*> under_way_;
};

}  // namespace brigada
