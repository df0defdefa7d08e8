// The clock: budgets begin anew, keys expire and calls are filed by it.
#include <sys/timex.h>

#include <filesystem>

#include "base/concat.h"
#include "gateway/directory/time_text.h"
#include "gateway/doctor/checks.h"
#include "ledger/sqlite_store.h"

namespace brigada {

namespace {

constexpr WallTime kWritten = WallTime::seconds(1'764'547'200);  // 2025-12-01: this check
constexpr Duration kSlack = Duration::seconds(5);
constexpr const char* kMend = "set the clock, and keep it with NTP";

/// The end of the last call in the ledger, if any ended after `since`.
std::optional<WallTime> call_after(const Path& file, WallTime since) {
    std::error_code failed;
    if (!std::filesystem::exists(file, failed)) return std::nullopt;
    const auto store = SqliteStore::open_read_only(file);
    if (!store.ok()) return std::nullopt;  // told by the check of the stores
    std::optional<WallTime> last;
    (void)(*store)->each_call({.from = since}, [&](const CallRecord& call) -> Result<void> {
        last = call.ended;
        return {};
    });
    return last;
}

bool is_kept() {
    timex facts{};
    return ::adjtimex(&facts) != TIME_ERROR;
}

}  // namespace

void check_clock(const GatewayConfig& config, Findings& findings) {
    const WallTime now = WallClock().now();
    if (now < kWritten)
        return findings.fault(concat("it is ", iso_text(now), " by this machine"), kMend);
    const Path calls = config.brigada.data_dir / "ledger" / "calls.db";
    if (const auto later = call_after(calls, now + kSlack))
        return findings.fault(
            concat("it is ", iso_text(now), ", and the ledger has a call of ", iso_text(*later)),
            kMend);
    if (!is_kept())
        return findings.warn(concat("it is ", iso_text(now), "; nobody keeps the clock in step"),
                             "run an NTP client, above all with several replicas");
    findings.ok(concat("it is ", iso_text(now), ", kept in step"));
}

}  // namespace brigada
