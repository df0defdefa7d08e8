// RefusalBook: policy refusals for the audit log, added up: one event for each key, kind of refusal
// and model in a while, however often a client tries. Pure: no clock.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/wall_time.h"
#include "ledger/audit_log.h"

namespace brigada {

class RefusalBook {
  public:
    /// Events wait so long for more of their kind.
    static constexpr Duration kGather = Duration::seconds(10);
    /// Different ones that wait at once; beyond, they are added up without key and model.
    static constexpr size_t kMost = 1'000;

    /// A call was refused. `key` is the key's id, "" for one that nobody knows.
    void add(std::string_view key, std::string_view type, int status, std::string_view model,
             std::string_view message, WallTime now);

    /// Those that have waited long enough, in order of their keys.
    std::vector<AuditEvent> take(WallTime now);
    /// All of them.
    std::vector<AuditEvent> take_all();

  private:
    struct Who {
        std::string key;
        std::string type;
        std::string model;

        auto operator<=>(const Who&) const = default;
    };
    struct Sum {
        int64_t times = 0;
        int status = 0;
        WallTime first = {};
        WallTime last = {};
        std::string message;  // the last one's
    };

    static AuditEvent event_of(const Who& who, const Sum& sum);

    std::map<Who, Sum> waiting_;
};

/// Whether a refusal is one of policy, and not of bad input or a lack of room.
bool is_of_policy(int status);

}  // namespace brigada
