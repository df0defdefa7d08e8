#include "ledger/spend.h"

namespace brigada {

std::string_view holder_of(const CallRecord& record, SpendBy by) {
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
        cells[{by, std::string(holder_of(record, by)), hour, record.model_asked}].add(sum);
}

}  // namespace brigada
