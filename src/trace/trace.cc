#include "trace/trace.h"

namespace brigada {

uint64_t Trace::calls() const {
    uint64_t sum = 0;
    for (const TraceSession& session : sessions)
        sum += session.calls.size();
    return sum;
}

}  // namespace brigada
