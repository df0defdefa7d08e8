// StoreProof: whether a store agrees with itself. It is shown every call with its columns, then
// every sum that is kept, and finds the first contradiction.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ledger/call_record.h"
#include "ledger/spend.h"

namespace brigada {

/// What a store can be asked for, beside the call's own bytes.
struct CallColumns {
    std::string id = {};
    int64_t ended_ns = 0;
    std::array<std::string, kFieldKinds.size()> holders = {};  // in the order of kFieldKinds
    SpendSum sum = {};

    friend bool operator==(const CallColumns&, const CallColumns&) = default;
};

CallColumns columns_of(const CallRecord& record);

class StoreProof {
  public:
    /// How a store writes the texts of its columns.
    using Spelling = std::string (*)(std::string_view);

    /// `name` is the store's, for messages. Sums of hours before `first_kept_hour` are of calls
    /// that may be gone.
    StoreProof(std::string name, int64_t first_kept_hour, Spelling spelling = nullptr)
        : name_(std::move(name)), first_kept_hour_(first_kept_hour), spelling_(spelling) {}

    // In this order; each is Error::corrupt for a contradiction.
    Result<void> show_call(const CallColumns& columns, std::string_view bytes);
    Result<void> show_sum(const SpendCell& cell, const SpendSum& sum);
    Result<void> finish() const;

  private:
    std::string spelled(const std::string& text) const;
    CallColumns spelled(CallColumns columns) const;
    Error contradiction(std::string_view what) const;

    std::string name_;
    int64_t first_kept_hour_;
    Spelling spelling_;    // null: as they are
    SpendCells expected_;  // sums of the calls that were shown, less the sums that were
};

/// The name of a kind in columns and messages.
std::string_view to_string(SpendBy by);

}  // namespace brigada
