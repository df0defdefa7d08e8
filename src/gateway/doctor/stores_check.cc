// The stores: schemas that this build reads. A store that is not there yet is made at the start.
#include <filesystem>

#include "base/concat.h"
#include "gateway/directory/sqlite_directory.h"
#include "gateway/doctor/checks.h"
#include "ledger/sqlite.h"
#include "ledger/sqlite_store.h"

namespace brigada {

namespace {

constexpr Duration kPatience = Duration::milliseconds(500);
constexpr const char* kNewer = "run the newer brigada that wrote it";
constexpr const char* kBroken = "put it back from a backup";

std::string mend_of(const Error& error) {
    return error.code == Code::unsupported ? kNewer : kBroken;
}

Result<int64_t> schema_of(const Path& file) {
    TRY(Sqlite database, Sqlite::open_read_only(file, kPatience));
    return database.version();
}

void check_directory(const Path& file, Findings& findings) {
    std::error_code failed;
    if (!std::filesystem::exists(file, failed))
        return findings.ok(concat(file.string(), " will be made"));
    const auto schema = schema_of(file);
    if (!schema.ok()) return findings.fault(schema.error().message, kBroken);
    const int newest = SqliteDirectory::newest_schema();
    if (*schema > newest)
        return findings.fault(concat(file.string(), ": its schema has version ", *schema,
                                     "; this build reads up to ", newest),
                              kNewer);
    findings.ok(concat(file.string(), ": schema ", *schema));
}

void check_ledger(const Path& file, Findings& findings) {
    std::error_code failed;
    if (!std::filesystem::exists(file, failed))
        return findings.ok(concat(file.string(), " will be made"));
    const auto store = SqliteStore::open_read_only(file);
    if (!store.ok()) return findings.fault(store.error().message, mend_of(store.error()));
    const auto calls = (*store)->count();
    if (!calls.ok()) return findings.fault(calls.error().message, kBroken);
    findings.ok(concat(file.string(), ": ", *calls, " calls"));
}

}  // namespace

void check_stores(const GatewayConfig& config, Findings& findings) {
    check_directory(config.brigada.data_dir / "directory.db", findings);
    check_ledger(config.brigada.data_dir / "ledger" / "calls.db", findings);
}

}  // namespace brigada
