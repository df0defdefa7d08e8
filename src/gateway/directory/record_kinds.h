// What code over all kinds of records needs: a kind as a type, and what bodies call its id.
#pragma once

#include <string_view>
#include <type_traits>

#include "gateway/directory/records.h"

namespace brigada {

/// Calls fn(std::type_identity<Team>{}) for RecordKind::team, and so on.
template <typename Fn>
auto with_type_of(RecordKind kind, Fn&& fn) {
    switch (kind) {
        case RecordKind::organisation:
            return fn(std::type_identity<Organisation>{});
        case RecordKind::user:
            return fn(std::type_identity<User>{});
        case RecordKind::budget:
            return fn(std::type_identity<BudgetTemplate>{});
        case RecordKind::team:
            return fn(std::type_identity<Team>{});
        case RecordKind::key:
            break;
        case RecordKind::end_user:
            return fn(std::type_identity<EndUser>{});
    }
    return fn(std::type_identity<Key>{});
}

/// The field of management bodies that holds an id of this kind, in LiteLLM's spelling.
constexpr std::string_view id_field(RecordKind kind) {
    switch (kind) {
        case RecordKind::organisation:
            return "organization_id";
        case RecordKind::budget:
            return "budget_id";
        case RecordKind::team:
            return "team_id";
        case RecordKind::key:
            return "key";
        case RecordKind::user:
        case RecordKind::end_user:
            break;
    }
    return "user_id";
}

}  // namespace brigada
