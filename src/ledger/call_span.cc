#include "ledger/call_span.h"

#include "ledger/spend.h"

namespace brigada {

SpanPieces cut_to_hours(CallSpan span) {
    const int64_t begun = spend_hour(span.from);
    const bool on_the_hour = span.from.ns % kHourNs == 0;
    const int64_t first = on_the_hour ? begun : begun + 1;
    const int64_t end = spend_hour(span.to);
    if (first >= end) return {0, 0, span, {span.to, span.to}};
    const CallSpan before =
        on_the_hour ? CallSpan{span.from, span.from} : CallSpan{span.from, {first * kHourNs}};
    return {first, end, before, {{end * kHourNs}, span.to}};
}

}  // namespace brigada
