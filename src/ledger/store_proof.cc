#include "ledger/store_proof.h"

#include "base/concat.h"

namespace brigada {

std::string_view to_string(SpendBy by) {
    switch (by) {
        case SpendBy::organisation:
            return "organisation";
        case SpendBy::team:
            return "team";
        case SpendBy::user:
            return "user";
        case SpendBy::key:
            return "key";
        case SpendBy::end_user:
            return "end_user";
        case SpendBy::model:
            return "model";
        case SpendBy::member:
            return "member";
        case SpendBy::end_of_tenant:
            return "end_of_tenant";
    }
    return {};
}

CallColumns columns_of(const CallRecord& record) {
    const auto id = record.id.bytes();
    CallColumns out{.id = std::string(id.data(), id.size()),
                    .ended_ns = record.ended.ns,
                    .sum = spend_of(record)};
    for (size_t i = 0; i < kFieldKinds.size(); ++i)
        out.holders[i] = holder_of(record, kFieldKinds[i]);
    return out;
}

Result<void> StoreProof::show_call(const CallColumns& columns, std::string_view bytes) {
    const auto record = decode_call_record(bytes);
    if (!record.ok() || spelled(columns_of(*record)) != columns)
        return contradiction(concat("call ",
                                    RecordId::from_bytes(columns.id).value_or(RecordId{}).hex(),
                                    " does not agree with its record"));
    if (spend_hour(record->ended) < first_kept_hour_) return {};
    SpendCells cells;
    add_to_cells(*record, cells);
    for (const auto& [cell, sum] : cells)
        expected_[{cell.by, spelled(cell.holder), cell.hour, spelled(cell.model)}].add(sum);
    return {};
}

Result<void> StoreProof::show_sum(const SpendCell& cell, const SpendSum& sum) {
    if (cell.hour < first_kept_hour_) return {};
    const auto found = expected_.find(cell);
    if (found == expected_.end() || found->second != sum)
        return contradiction(concat("the spend of ", to_string(cell.by), " '", cell.holder,
                                    "' in hour ", cell.hour, " is not that of its calls"));
    expected_.erase(found);
    return {};
}

Result<void> StoreProof::finish() const {
    if (expected_.empty()) return {};
    return contradiction(concat("the spend lacks ", expected_.size(), " sums"));
}

std::string StoreProof::spelled(const std::string& text) const {
    return spelling_ == nullptr ? text : spelling_(text);
}

CallColumns StoreProof::spelled(CallColumns columns) const {
    for (std::string& holder : columns.holders)
        holder = spelled(holder);
    return columns;
}

Error StoreProof::contradiction(std::string_view what) const {
    return {Code::corrupt, concat(name_, ": ", what)};
}

}  // namespace brigada
