#include "ledger/call_span.h"

#include "ledger/spend.h"

namespace brigada {

namespace {

/// The first hours there are have no beginning that fits into a WallTime.
constexpr WallTime kFirstWholeHour = {std::numeric_limits<int64_t>::min() / kHourNs * kHourNs};

bool cuts_an_hour(WallTime at, int64_t before_hour) {
    return at > kFirstWholeHour && spend_hour(at) < before_hour && at.ns % kHourNs != 0;
}

CallSpan widened(CallSpan span, int64_t first_kept_hour) {
    if (cuts_an_hour(span.from, first_kept_hour)) span.from = {spend_hour(span.from) * kHourNs};
    if (cuts_an_hour(span.to, first_kept_hour)) span.to = {(spend_hour(span.to) + 1) * kHourNs};
    return span;
}

}  // namespace

SpanPieces cut_to_hours(CallSpan asked, int64_t first_kept_hour) {
    const CallSpan span = widened(asked, first_kept_hour);
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
