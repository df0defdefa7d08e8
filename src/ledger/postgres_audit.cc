#include "ledger/postgres_audit.h"

#include <array>
#include <string>
#include <vector>

#include "base/concat.h"
#include "ledger/postgres_text.h"

namespace brigada {

namespace {

constexpr std::string_view kPart = "audit";
constexpr int kLinesAtOnce = 500;

/// Step n leads to version n + 1; a released one is never changed. The head is one row, so that who
/// appends waits for who is appending.
constexpr std::array kSteps{R"sql(
CREATE TABLE brigada.audit (seq bigint PRIMARY KEY, line text NOT NULL);
CREATE TABLE brigada.audit_head (
    one integer PRIMARY KEY CHECK (one = 1), seq bigint NOT NULL, hash text NOT NULL);
INSERT INTO brigada.audit_head VALUES (1, 0, repeat('0', 64));
CREATE FUNCTION brigada.refuse_to_change_audit() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'brigada.audit is append-only'; END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON brigada.audit
    FOR EACH ROW EXECUTE FUNCTION brigada.refuse_to_change_audit();
CREATE TRIGGER append_only_too BEFORE TRUNCATE ON brigada.audit
    FOR EACH STATEMENT EXECUTE FUNCTION brigada.refuse_to_change_audit();
)sql"};

Result<AuditHead> read_head(Postgres& database, std::string_view how) {
    TRY(const PgRows rows, database.run(concat("SELECT seq, hash FROM brigada.audit_head", how)));
    if (rows.count() != 1)
        return Error{Code::corrupt, concat(database.name(), ": the audit log has no head")};
    return AuditHead{.seq = static_cast<uint64_t>(rows.integer(0, 0)),
                     .hash = std::string(rows.text(0, 1))};
}

/// Moves `head` over every line there is.
Result<void> follow_lines(Postgres& database, AuditHead& head) {
    TRY(
        database.run_script("DECLARE lines NO SCROLL CURSOR FOR "
                            "SELECT line FROM brigada.audit ORDER BY seq"));
    const std::string more = concat("FETCH ", kLinesAtOnce, " FROM lines");
    for (;;) {
        TRY(const PgRows lines, database.run_script(more.c_str()));
        for (int i = 0; i < lines.count(); ++i)
            if (Result<void> follows = follow_audit_line(lines.text(i, 0), head); !follows.ok())
                return std::move(follows).error().in(
                    concat(database.name(), ": the chain breaks at event ", head.seq + 1));
        if (lines.count() < kLinesAtOnce) return {};
    }
}

}  // namespace

Result<void> migrate_audit(Postgres& database) {
    return database.migrate(kPart, kSteps);
}

Result<void> append_audit(Postgres& database, std::span<const AuditEvent> events) {
    TRY(AuditHead head, read_head(database, " FOR UPDATE"));
    std::vector<int64_t> numbers;
    std::vector<std::string> lines;
    for (const AuditEvent& event : events) {
        std::string line = audit_line(event, head);
        line.pop_back();  // a row needs no line end
        lines.push_back(std::move(line));
        numbers.push_back(static_cast<int64_t>(head.seq));
    }
    TRY(database.run("INSERT INTO brigada.audit SELECT * FROM unnest($1::bigint[], $2::text[])",
                     {pg_array(numbers), pg_array(lines)}));
    TRY(database.run("UPDATE brigada.audit_head SET seq = $1, hash = $2",
                     {static_cast<int64_t>(head.seq), head.hash}));
    return {};
}

Result<AuditHead> verify_audit(const PostgresConfig& config) {
    TRY(Postgres database, Postgres::connect(config));
    TRY(database.expect_version(kPart, kSteps.size()));
    TRY(PgTransaction moment, PgTransaction::begin_reading(database));
    AuditHead head;
    TRY(follow_lines(database, head));
    TRY(const AuditHead kept, read_head(database, ""));
    if (head == kept) return head;
    return Error{Code::corrupt, concat(database.name(), ": the chain ends at event ", head.seq,
                                       ", and ", kept.seq, " were written")};
}

}  // namespace brigada
