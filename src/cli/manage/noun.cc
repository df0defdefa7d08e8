#include "cli/manage/noun.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/check.h"
#include "base/concat.h"
#include "base/money.h"
#include "cli/text_table.h"

namespace brigada {

namespace {

constexpr size_t kTokenShown = 12;  // of 64 hex digits: enough to tell 10^6 keys apart

constexpr CellDoc kKeyCells[] = {
    {"KEY", "key_alias"},
    {"TOKEN", "token", CellKind::token},
    {"TEXT", "key_name"},
    {"TEAM", "team_id"},
    {"USER", "user_id"},
    {"STATE", "blocked", CellKind::flag},
    {"EXPIRES", "expires", CellKind::time},
    {"SPENT", "spend", CellKind::dollars},
    {"BUDGET", "max_budget", CellKind::dollars},
    {"RPM", "rpm_limit", CellKind::number},
    {"TPM", "tpm_limit", CellKind::number},
};
constexpr CellDoc kTeamCells[] = {
    {"TEAM", "team_alias"},
    {"ID", "team_id"},
    {"ORG", "organization_id"},
    {"STATE", "blocked", CellKind::flag},
    {"MEMBERS", "members_with_roles", CellKind::count},
    {"SPENT", "spend", CellKind::dollars},
    {"BUDGET", "max_budget", CellKind::dollars},
    {"EVERY", "budget_duration"},
    {"RPM", "rpm_limit", CellKind::number},
    {"TPM", "tpm_limit", CellKind::number},
};
constexpr CellDoc kUserCells[] = {
    {"USER", "user_id"},
    {"EMAIL", "user_email"},
    {"TEAMS", "teams", CellKind::count},
    {"SPENT", "spend", CellKind::dollars},
    {"BUDGET", "max_budget", CellKind::dollars},
    {"EVERY", "budget_duration"},
    {"RPM", "rpm_limit", CellKind::number},
    {"TPM", "tpm_limit", CellKind::number},
};
constexpr CellDoc kOrganisationCells[] = {
    {"ORG", "organization_alias"},
    {"ID", "organization_id"},
    {"TEAMS", "teams", CellKind::count},
    {"SPENT", "spend", CellKind::dollars},
    {"BUDGET", "max_budget", CellKind::dollars},
    {"EVERY", "budget_duration"},
    {"RPM", "rpm_limit", CellKind::number},
    {"TPM", "tpm_limit", CellKind::number},
};
constexpr CellDoc kBudgetCells[] = {
    {"BUDGET", "budget_id"},
    {"DOLLARS", "max_budget", CellKind::dollars},
    {"EVERY", "budget_duration"},
    {"RPM", "rpm_limit", CellKind::number},
    {"TPM", "tpm_limit", CellKind::number},
    {"PARALLEL", "max_parallel_requests", CellKind::number},
};

constexpr OptionDoc kLimitOptions[] = {
    {"--max-budget", "max_budget", OptionKind::number, "DOLLARS", "the most it may spend"},
    {"--budget-duration", "budget_duration", OptionKind::text, "TIME",
     "after which the budget is there again: 1d, 7d, 1mo"},
    {"--soft-budget", "soft_budget", OptionKind::number, "DOLLARS", "from which on it is warned"},
    {"--enforcement", "budget_enforcement", OptionKind::text, "HOW",
     "hard, or showback, which counts and never refuses"},
    {"--rpm", "rpm_limit", OptionKind::number, "N", "requests in every 60 seconds"},
    {"--tpm", "tpm_limit", OptionKind::number, "N", "tokens in every 60 seconds"},
    {"--parallel", "max_parallel_requests", OptionKind::number, "N", "calls at once"},
};
constexpr OptionDoc kHolderOptions[] = {
    {"--models", "models", OptionKind::list, "NAMES", "that may be called: a,b*; none: all"},
    {"--priority", "priority", OptionKind::text, "CLASS", "guaranteed, standard or batch"},
    {"--tags", "tags", OptionKind::list, "NAMES", "recorded with its calls"},
    {"--budget", "budget_id", OptionKind::text, "ID", "a template for what is left open"},
};

template <size_t A, size_t B>
constexpr std::array<OptionDoc, A + B> joined(const OptionDoc (&a)[A], const OptionDoc (&b)[B]) {
    std::array<OptionDoc, A + B> out{};
    std::copy_n(a, A, out.begin());
    std::copy_n(b, B, out.begin() + A);
    return out;
}

constexpr OptionDoc kOfKey[] = {
    {"--team", "team_id", OptionKind::team, "TEAM", "whose budget and limits count, too"},
    {"--user", "user_id", OptionKind::user, "USER", "whom it is for"},
    {"--org", "organization_id", OptionKind::organisation, "ORG", "for a key without a team"},
    {"--expires", "duration", OptionKind::text, "TIME", "from now: 30d, 12h"},
};
constexpr OptionDoc kOfTeam[] = {
    {"--org", "organization_id", OptionKind::organisation, "ORG", "it is a part of"},
    {"--member-budget", "team_member_budget", OptionKind::number, "DOLLARS", "of each member"},
    {"--member-rpm", "team_member_rpm_limit", OptionKind::number, "N", "of each member"},
};
constexpr OptionDoc kOfUser[] = {
    {"--email", "user_email", OptionKind::text, "ADDRESS", "of one user only"},
    {"--alias", "user_alias", OptionKind::text, "NAME", "for people"},
};
constexpr auto kKeyOptions = joined(kOfKey, kHolderOptions);
constexpr auto kTeamOptions = joined(kOfTeam, kHolderOptions);
constexpr auto kUserOptions = joined(kOfUser, kHolderOptions);

constexpr Noun kNouns[] = {
    {.command = "keys",
     .one = "key",
     .about = "make, show, change, rotate and delete keys",
     .route = "/key",
     .create = "generate",
     .id = "token",
     .alias = "key_alias",
     .list = "keys",
     .has_pages = true,
     .info_query = "key",
     .info = "info",
     .erase = "keys",
     .can_block = true,
     .is_secret = true,
     .name_field = "key_alias",
     .cells = kKeyCells,
     .options = kKeyOptions},
    {.command = "teams",
     .one = "team",
     .about = "make, show, change and delete teams",
     .route = "/team",
     .id = "team_id",
     .alias = "team_alias",
     .info_query = "team_id",
     .info = "team_info",
     .erase = "team_ids",
     .can_block = true,
     .name_field = "team_alias",
     .cells = kTeamCells,
     .options = kTeamOptions},
    {.command = "users",
     .one = "user",
     .about = "make, show, change and delete users",
     .route = "/user",
     .id = "user_id",
     .alias = "user_alias",
     .list = "users",
     .has_pages = true,
     .info_query = "user_id",
     .info = "user_info",
     .erase = "user_ids",
     .name_field = "user_id",
     .cells = kUserCells,
     .options = kUserOptions},
    {.command = "orgs",
     .one = "organisation",
     .about = "make, show, change and delete organisations",
     .route = "/organization",
     .id = "organization_id",
     .alias = "organization_alias",
     .info_query = "organization_id",
     .erase = "organization_ids",
     .name_field = "organization_alias",
     .cells = kOrganisationCells,
     .options = kHolderOptions},
    {.command = "budgets",
     .one = "budget",
     .about = "make, show, change and delete templates of limits",
     .route = "/budget",
     .id = "budget_id",
     .erase = "id",
     .erases_one = true,
     .name_field = "budget_id",
     .cells = kBudgetCells},
};

std::string list_text(const Json& list) {
    std::string out;
    for (const Json& item : list)
        out += concat(out.empty() ? "" : ",",
                      item.is_string() ? item.get<std::string>() : dump_json(item));
    return out.empty() ? "-" : out;
}

/// "2026-03-01 12:30" of "2026-03-01T12:30:05Z".
std::string short_time(const std::string& iso) {
    if (iso.size() < 16) return iso;
    return iso.substr(0, 10) + " " + iso.substr(11, 5);
}

}  // namespace

std::span<const Noun> nouns() {
    return kNouns;
}

const Noun& noun_of(std::string_view command) {
    for (const Noun& noun : kNouns)
        if (noun.command == command) return noun;
    CHECK(false, "no noun ", std::string(command));
    std::abort();
}

std::span<const OptionDoc> limit_options() {
    return kLimitOptions;
}

std::string dollars_text(const Json& dollars) {
    if (!dollars.is_number()) return "-";
    return decimal_dollars({std::llround(dollars.get<double>() * 1e9)});
}

std::string cell(const Json& record, const CellDoc& doc) {
    const auto found = record.find(doc.field);
    if (found == record.end() || found->is_null()) return "-";
    const Json& value = *found;
    switch (doc.kind) {
        case CellKind::dollars:
            return dollars_text(value);
        case CellKind::number:
            return value.is_number_integer() ? grouped(value.get<int64_t>()) : "-";
        case CellKind::count:
            return std::to_string(value.size());
        case CellKind::list:
            return list_text(value);
        case CellKind::flag:
            return value == true ? "blocked" : "open";
        case CellKind::time:
            return value.is_string() ? short_time(value.get<std::string>()) : "-";
        case CellKind::token:
            return value.is_string() ? value.get<std::string>().substr(0, kTokenShown) : "-";
        case CellKind::text:
            break;
    }
    return value.is_string() ? value.get<std::string>() : dump_json(value);
}

}  // namespace brigada
