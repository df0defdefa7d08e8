// Spend: what calls cost, added up by who made them. Hours are the grain the store keeps sums of:
// calendar windows of nearly every time zone begin on one, so that a month is a few hundred sums
// and not a million calls.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/usage.h"
#include "base/wall_time.h"
#include "ledger/call_record.h"

namespace brigada {

/// Whose spend. The numbers are in files: only add.
enum class SpendBy : uint8_t {
    organisation = 0,
    team = 1,
    user = 2,
    key = 3,
    end_user = 4,
    model = 5,          // as the client asked for it: what budgets and limits name
    member = 6,         // a user's calls for one team
    end_of_tenant = 7,  // an end user's calls of one tenant
};
/// Those that are a field of the record, and a column of the store.
inline constexpr std::array kFieldKinds{SpendBy::organisation, SpendBy::team,     SpendBy::user,
                                        SpendBy::key,          SpendBy::end_user, SpendBy::model};
inline constexpr std::array kSpendKinds{
    SpendBy::organisation, SpendBy::team,  SpendBy::user,   SpendBy::key,
    SpendBy::end_user,     SpendBy::model, SpendBy::member, SpendBy::end_of_tenant};

/// Whose end users a call's end user is one of: two tenants' that have one name share nothing. The
/// narrowest of team, organisation, user and key that the caller belongs to.
std::string tenant_of(std::string_view team, std::string_view organisation, std::string_view user,
                      std::string_view key);

/// The holder of SpendBy::member (a team and a user) and ::end_of_tenant (a tenant and an end
/// user); empty when one of them is.
std::string joint_holder(std::string_view owner, std::string_view id);
/// Between the two; no id has it.
inline constexpr char kJoint = '\x1f';

/// Whose the record is in the sums of that kind; empty when it has none.
std::string holder_of(const CallRecord& record, SpendBy by);

struct SpendSum {
    int64_t calls = 0;
    Usage usage = {};
    Money cost = {};

    void add(const SpendSum& other);
    bool operator==(const SpendSum&) const = default;
};

/// The sum of one call.
SpendSum spend_of(const CallRecord& record);

/// Hours since the epoch, rounded down: the hour a call that ended then counts in.
int64_t spend_hour(WallTime time);

inline constexpr int64_t kHourNs = 3'600'000'000'000;

/// One sum the store keeps.
struct SpendCell {
    SpendBy by = SpendBy::organisation;
    std::string holder = {};
    int64_t hour = 0;
    std::string model = {};

    friend auto operator<=>(const SpendCell&, const SpendCell&) = default;
};

using SpendCells = std::map<SpendCell, SpendSum>;

/// Adds one call to its cell of every kind.
void add_to_cells(const CallRecord& record, SpendCells& cells);

}  // namespace brigada
