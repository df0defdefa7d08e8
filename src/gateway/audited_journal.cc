#include "gateway/audited_journal.h"

#include "base/concat.h"

namespace brigada {

namespace {

std::vector<AuditEvent> events_of(const Changes& changes, std::string_view suffix) {
    std::vector<AuditEvent> out;
    for (const Change& change : changes)
        out.push_back({.at = change.at,
                       .actor = change.actor,
                       .action = concat(to_string(change.kind), ".", change.action, suffix),
                       .object = concat(to_string(change.kind), "/", change.id),
                       .before = change.before,
                       .after = change.after});
    return out;
}

}  // namespace

Result<void> AuditedJournal::write(const Changes& changes) {
    TRY(audit_.append(events_of(changes, "")));
    Result<void> stored = store_.write(changes);
    if (stored.ok()) return stored;
    TRY(audit_.append(events_of(changes, ".failed")));
    return stored;
}

}  // namespace brigada
