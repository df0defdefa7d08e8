// CallWitness: goes along with one call and remembers for the log and the trace what it saw: which
// trace the call belongs to, and each try at an upstream.
#pragma once

#include "gateway/seen/seen.h"
#include "net/http.h"

namespace brigada {

class CallWitness {
  public:
    /// Continues the client's trace, or begins one when spans are sent. `seen` outlives it.
    CallWitness(Seen& seen, const HttpHeaders& client);

    /// `deployment` lives until the call is told of.
    void attempt_began(const Deployment& deployment, std::string_view model_served);
    void attempt_ended(CallStatus status, int http_status);

    /// Gives an upstream's call its traceparent, below the span of the attempt that began last, and
    /// the tracestate as it came.
    void mark(HttpHeaders& upstream) const;

    /// The call is over.
    void tell(CallFacts facts);

  private:
    /// Small: an idle stream keeps it.
    struct Attempt {
        SpanId span;
        const Deployment* deployment;
        std::string model_served;
        WallTime started;
        WallTime ended = {};
        CallStatus status = CallStatus::aborted;  // until it has ended
        int http_status = 0;
    };
    static AttemptFacts facts_of(const Attempt& attempt);

    Seen& seen_;
    CallPlace place_;
    std::vector<Attempt> attempts_;
};

}  // namespace brigada
