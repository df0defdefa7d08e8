#include "ledger/spend.h"

#include "base/concat.h"

namespace brigada {

std::string tenant_of(std::string_view team, std::string_view organisation, std::string_view user,
                      std::string_view key) {
    if (!team.empty()) return concat("team:", team);
    if (!organisation.empty()) return concat("organisation:", organisation);
    if (!user.empty()) return concat("user:", user);
    return concat("key:", key);
}

std::string joint_holder(std::string_view owner, std::string_view id) {
    if (owner.empty() || id.empty()) return {};
    std::string out(owner);
    out += kJoint;
    return out += id;
}

std::string holder_of(const CallRecord& record, SpendBy by) {
    switch (by) {
        case SpendBy::organisation:
            return record.organisation;
        case SpendBy::team:
            return record.team;
        case SpendBy::user:
            return record.user;
        case SpendBy::key:
            return record.key;
        case SpendBy::end_user:
            return record.end_user;
        case SpendBy::model:
            return record.model_asked;
        case SpendBy::member:
            return joint_holder(record.team, record.user);
        case SpendBy::end_of_tenant:
            return joint_holder(
                tenant_of(record.team, record.organisation, record.user, record.key),
                record.end_user);
    }
    return {};
}

void SpendSum::add(const SpendSum& other) {
    calls += other.calls;
    usage.input += other.usage.input;
    usage.cached_input += other.usage.cached_input;
    usage.cache_write += other.usage.cache_write;
    usage.output += other.usage.output;
    cost += other.cost;
}

SpendSum spend_of(const CallRecord& record) {
    return {.calls = 1, .usage = record.usage, .cost = record.cost};
}

int64_t spend_hour(WallTime time) {
    return time.ns / kHourNs - (time.ns % kHourNs < 0 ? 1 : 0);
}

void add_to_cells(const CallRecord& record, SpendCells& cells) {
    const int64_t hour = spend_hour(record.ended);
    const SpendSum sum = spend_of(record);
    for (const SpendBy by : kSpendKinds)
        cells[{by, holder_of(record, by), hour, record.model_asked}].add(sum);
}

}  // namespace brigada
