#include "gateway/audited_store.h"

#include "base/concat.h"

namespace brigada {

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

Result<std::optional<uint64_t>> AuditedStore::write(const Changes& changes, uint64_t base) {
    TRY(audit_.append(events_of(changes, "")));
    auto written = store_.write(changes, base);
    if (written.ok() && *written) return written;
    TRY(audit_.append(events_of(changes, ".failed")));
    return written;
}

}  // namespace brigada
