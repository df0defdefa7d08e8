// Change: one thing an administrator did to one record, for the audit log and the store. A change
// is in the store before anybody can see it.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/wall_time.h"
#include "gateway/directory/records.h"

namespace brigada {

/// Who changes something, and when.
struct Act {
    std::string actor = {};
    WallTime now = {};
};

struct Change {
    WallTime at = {};
    std::string actor = {};
    std::string action = {};  // created, updated, deleted, blocked, unblocked, rotated
    RecordKind kind = RecordKind::key;
    std::string id = {};
    Json before = {};  // null when it was created
    Json after = {};   // null when it was deleted
};

using Changes = std::vector<Change>;

}  // namespace brigada
