// Records: what the directory keeps of organisations, teams, users, keys, end users and budget
// templates. Plain values; the rules between them are the directory's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "admit/priority.h"
#include "base/json.h"
#include "base/wall_time.h"
#include "gateway/directory/allowance.h"
#include "gateway/directory/key_secret.h"

namespace brigada {

/// In the order of the alternatives of Record.
enum class RecordKind { organisation, user, budget, team, key, end_user };

inline constexpr RecordKind kRecordKinds[] = {RecordKind::organisation, RecordKind::user,
                                              RecordKind::budget,       RecordKind::team,
                                              RecordKind::key,          RecordKind::end_user};

std::string_view to_string(RecordKind kind);

std::string_view to_string(PriorityClass priority);
std::optional<PriorityClass> priority_from(std::string_view name);

/// What all of them have.
struct Holder {
    std::string id = {};
    std::string alias = {};      // for people
    Allowance allowance = {};    // its own
    std::string budget_id = {};  // the template that says what `allowance` leaves open
    std::vector<std::string> models = {};
    std::map<std::string, std::string> aliases = {};  // model asked for -> model meant
    std::optional<PriorityClass> priority = {};
    bool blocked = false;
    Json metadata = Json::object();
    std::vector<std::string> tags = {};
    WallTime created = {};
    WallTime updated = {};
    std::string created_by = {};
    std::string updated_by = {};

    friend bool operator==(const Holder&, const Holder&) = default;
};

struct Organisation : Holder {
    friend bool operator==(const Organisation&, const Organisation&) = default;
};

struct User : Holder {
    std::string email = {};
    std::string role = {};  // LiteLLM's; kept and shown, it gives no right here

    friend bool operator==(const User&, const User&) = default;
};

/// Limits that many holders share by naming it.
struct BudgetTemplate : Holder {
    friend bool operator==(const BudgetTemplate&, const BudgetTemplate&) = default;
};

struct Member {
    std::string role = "user";  // or "admin"
    Allowance allowance = {};   // of this user within this team

    friend bool operator==(const Member&, const Member&) = default;
};

struct Team : Holder {
    std::string organisation = {};
    std::map<std::string, Member> members = {};  // by user id
    Allowance member_default = {};               // what a member's allowance leaves open

    friend bool operator==(const Team&, const Team&) = default;
};

/// The id is the hash the key was made with, in hex, and outlives rotations, so that limits, spend
/// and records go on counting for the same key.
struct Key : Holder {
    KeyHash hash = {};
    std::string display = {};  // "sk-...last4"
    std::optional<WallTime> expires = {};
    std::string organisation = {};
    std::string team = {};
    std::string user = {};
    std::optional<KeyHash> previous_hash = {};  // good until previous_until, after a rotation
    WallTime previous_until = {};

    friend bool operator==(const Key&, const Key&) = default;
};

struct EndUser : Holder {
    friend bool operator==(const EndUser&, const EndUser&) = default;
};

using Record = std::variant<Organisation, User, BudgetTemplate, Team, Key, EndUser>;

inline RecordKind kind_of(const Record& record) {
    return static_cast<RecordKind>(record.index());
}
inline const Holder& holder_of(const Record& record) {
    return std::visit([](const auto& r) -> const Holder& { return r; }, record);
}
inline Holder& holder_of(Record& record) {
    return std::visit([](auto& r) -> Holder& { return r; }, record);
}

}  // namespace brigada
