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
    }
    return {};
}

CallColumns columns_of(const CallRecord& record) {
    const auto id = record.id.bytes();
    CallColumns out{.id = std::string(id.data(), id.size()),
                    .ended_ns = record.ended.ns,
                    .sum = spend_of(record)};
    for (size_t i = 0; i < kSpendKinds.size(); ++i)
        out.holders[i] = holder_of(record, kSpendKinds[i]);
    return out;
}

Result<void> StoreProof::show_call(const CallColumns& columns, std::string_view bytes) {
    auto record = decode_call_record(bytes);
    if (record.ok()) record = spelled(*std::move(record));
    if (!record.ok() || columns_of(*record) != columns)
        return contradiction(concat("call ",
                                    RecordId::from_bytes(columns.id).value_or(RecordId{}).hex(),
                                    " does not agree with its record"));
    add_to_cells(*record, expected_);
    return {};
}

Result<void> StoreProof::show_sum(const SpendCell& cell, const SpendSum& sum) {
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

CallRecord StoreProof::spelled(CallRecord record) const {
    if (spelling_ == nullptr) return record;
    for (std::string* text : {&record.organisation, &record.team, &record.user, &record.key,
                              &record.end_user, &record.model_asked})
        *text = spelling_(*text);
    return record;
}

Error StoreProof::contradiction(std::string_view what) const {
    return {Code::corrupt, concat(name_, ": ", what)};
}

}  // namespace brigada
