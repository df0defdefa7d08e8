#include "cli/manage/span_words.h"

#include "base/concat.h"
#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

Result<std::string> start_of(const std::string& since, WallTime now) {
    if (is_duration(since)) {
        TRY(const WallTime ahead, after(now, since));
        return iso_text(now - (ahead - now));
    }
    if (const auto time = parse_iso(since); time.ok()) return since;
    return Error{Code::invalid_argument, concat("--since wants 24h, 7d, 1mo or a day like "
                                                "2026-03-01, not '",
                                                since, "'")};
}

}  // namespace

Result<ApiQuery> span_query(const SpanWords& words, WallTime now) {
    ApiQuery out;
    if (!words.since.empty()) {
        TRY(out["start_date"], start_of(words.since, now));
    }
    if (words.until.empty()) return out;
    if (const auto time = parse_iso(words.until); !time.ok())
        return Error{Code::invalid_argument,
                     concat("--until wants a day like 2026-03-01, not '", words.until, "'")};
    out["end_date"] = words.until;
    return out;
}

}  // namespace brigada
