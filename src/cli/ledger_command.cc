// brigada ledger and brigada audit: what was spent and what was done, checked and written out.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "base/concat.h"
#include "cli/commands.h"
#include "ledger/audit_log.h"
#include "ledger/ledger.h"

namespace brigada {

namespace {

Result<void> verify(const std::string& folder) {
    TRY(const LedgerReport report, verify_ledger(folder));
    std::cout << concat("the ledger is whole: ", report.stored, " calls in the store, ",
                        report.waiting, " in the log, ", report.segments, " log files\n");
    if (report.torn) std::cout << "the log's last record was cut short; opening it cuts it off\n";
    return {};
}

Result<void> write_csv(const std::string& folder) {
    TRY(const uint64_t calls, export_csv(folder, {}, std::cout));
    std::cerr << concat(calls, " calls\n");
    return {};
}

Result<void> verify_audit(const std::string& file) {
    TRY(const AuditHead head, verify_audit_log(file));
    std::cout << concat("the chain is whole: ", head.seq, " events, head ", head.hash, "\n");
    return {};
}

void add(CLI::App& group, Action& action, const char* name, const char* about, const char* what,
         const char* type, Result<void> (*run)(const std::string&)) {
    CLI::App* command = group.add_subcommand(name, about);
    const auto path = std::make_shared<std::string>();
    command->add_option("path", *path, what)->required()->type_name(type);
    command->callback([&action, path, run] { action = [path, run] { return run(*path); }; });
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
        "the log: brigada-data/audit.log", "FILE", verify_audit);
}

}  // namespace brigada
