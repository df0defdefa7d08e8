#include "gateway/spend_span.h"

#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

constexpr Duration kDay = Duration::seconds(86'400);
constexpr size_t kDayText = std::string_view("2026-03-01").size();

Result<WallTime> time_of(const Query& query, std::string_view name, WallTime otherwise) {
    const std::string_view text = value_of(query, name);
    if (text.empty()) return otherwise;
    auto parsed = parse_iso(text);
    if (!parsed.ok()) return std::move(parsed).error().in(name);
    return parsed;
}

}  // namespace

Result<CallSpan> spend_span(const Query& query, WallTime now) {
    TRY(const WallTime until, time_of(query, "end_date", now));
    const bool is_day = value_of(query, "end_date").size() == kDayText;
    const WallTime to = is_day ? until + kDay : until;
    TRY(const WallTime from, time_of(query, "start_date", to - kDay * 30));
    return CallSpan{.from = from, .to = to};
}

}  // namespace brigada
