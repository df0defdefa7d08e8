// brigada ledger and brigada audit: what was spent and what was done, checked and written out; of
// one gateway's files, or of the database that several share.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "base/concat.h"
#include "cli/commands.h"
#include "gateway/config/load_config.h"
#include "ledger/audit_log.h"
#include "ledger/ledger.h"
#include "ledger/postgres_audit.h"

namespace brigada {

namespace {

/// Reading all of a large database takes its time.
constexpr Duration kPatience = Duration::seconds(600);

struct Words {
    std::string path = {};
    std::string database = {};
    std::string config = {};
};

/// Where the words point to.
struct Kept {
    Path path = {};                               // empty: not said
    std::optional<PostgresConfig> postgres = {};  // nothing: files
};

Result<Kept> find(const Words& words, const char* within_data_dir) {
    Kept out{.path = words.path};
    std::string url = words.database;
    if (!words.config.empty()) {
        TRY(const LoadedConfig loaded, load_config(words.config, process_environment));
        if (url.empty()) url = loaded.config.general.database_url.reveal();
        if (out.path.empty()) out.path = loaded.config.brigada.data_dir / within_data_dir;
    }
    if (!url.empty()) {
        TRY(PostgresAddress address, parse_postgres_address(url));
        out.postgres = PostgresConfig{.address = std::move(address), .patience = kPatience};
    }
    if (!out.path.empty() || out.postgres) return out;
    return Error{Code::invalid_argument,
                 "say where it is: a path, --database URL or --config FILE"};
}

Result<void> verify(const Words& words) {
    TRY(const Kept kept, find(words, "ledger"));
    if (kept.path.empty()) {
        TRY(const int64_t calls, verify_calls(*kept.postgres));
        std::cout << concat("the calls of all gateways agree with their sums: ", calls, " calls\n");
        return {};
    }
    TRY(const LedgerReport report, verify_ledger(kept.path, kept.postgres));
    std::cout << concat("the ledger is whole: ", report.stored, " calls in the store, ",
                        report.waiting, " in the log, ", report.segments, " log files\n");
    if (report.torn) std::cout << "the log's last record was cut short; opening it cuts it off\n";
    return {};
}

Result<void> write_csv(const Words& words) {
    TRY(const Kept kept, find(words, "ledger"));
    TRY(const uint64_t calls, kept.postgres ? export_csv(*kept.postgres, {}, std::cout)
                                            : export_csv(kept.path, {}, std::cout));
    std::cerr << concat(calls, " calls\n");
    return {};
}

Result<void> verify_audit_chain(const Words& words) {
    TRY(const Kept kept, find(words, "audit.log"));
    TRY(const AuditHead head,
        kept.postgres ? verify_audit(*kept.postgres) : verify_audit_log(kept.path));
    std::cout << concat("the chain is whole: ", head.seq, " events, head ", head.hash, "\n");
    return {};
}

void add(CLI::App& group, Action& action, const char* name, const char* about, const char* what,
         const char* type, Result<void> (*run)(const Words&)) {
    CLI::App* command = group.add_subcommand(name, about);
    const auto words = std::make_shared<Words>();
    command->add_option("path", words->path, what)->type_name(type);
    command
        ->add_option("--database", words->database,
                     "the PostgreSQL database that several gateways share")
        ->type_name("URL");
    command
        ->add_option("--config", words->config,
                     "the gateway's configuration, which says where both are")
        ->type_name("FILE");
    command->callback([&action, words, run] { action = [words, run] { return run(*words); }; });
}

}  // namespace

void add_ledger_command(CLI::App& app, Action& action) {
    CLI::App* ledger = app.add_subcommand("ledger", "check and write out what calls cost");
    ledger->require_subcommand(1);
    const char* where = "the ledger's folder: brigada-data/ledger";
    add(*ledger, action, "verify", "prove that nothing is lost, twice or changed", where, "FOLDER",
        verify);
    add(*ledger, action, "export", "write all calls to standard output as CSV", where, "FOLDER",
        write_csv);

    CLI::App* audit = app.add_subcommand("audit", "check what administrators did");
    audit->require_subcommand(1);
    add(*audit, action, "verify", "follow the hash chain and name the first break",
        "the log: brigada-data/audit.log", "FILE", verify_audit_chain);
}

}  // namespace brigada
