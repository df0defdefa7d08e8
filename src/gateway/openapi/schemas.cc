#include "gateway/openapi/schemas.h"

#include "base/check.h"

namespace brigada {

namespace {

using enum FieldType;

// --- what holders of limits have in common ---------------------------------------------------

constexpr FieldDoc kAllowance[] = {
    {"rpm_limit", whole, "requests in every 60 seconds"},
    {"tpm_limit", whole, "tokens in every 60 seconds"},
    {"max_parallel_requests", whole, "calls at once"},
    {"model_rpm_limit", whole_map, "rpm_limit by model"},
    {"model_tpm_limit", whole_map, "tpm_limit by model"},
    {"model_max_parallel_requests", whole_map, "max_parallel_requests by model"},
    {"max_budget", money, "dollars in each budget_duration, or in all"},
    {"soft_budget", money, "dollars from which a warning is due"},
    {"budget_duration", duration, "after which max_budget is there again"},
    {"budget_limits", objects, "more budgets: {max_budget, budget_duration}"},
    {"model_max_budget", object, "by model: dollars, or {budget_limit, time_period}"},
    {"budget_enforcement", text, "showback counts and never refuses", "hard|showback"},
    {"temp_budget_increase", money, "dollars more until temp_budget_expiry; both or none"},
    {"temp_budget_expiry", time},
};
constexpr FieldDoc kHolderFields[] = {
    {"budget_id", text, "the template that says what is left open here"},
    {"models", texts, "that may be called, with *; none: all"},
    {"priority", text, "of its calls", "guaranteed|standard|batch"},
    {"blocked", flag},
    {"metadata", object},
    {"tags", texts, "recorded with its calls"},
};
constexpr FieldDoc kStamps[] = {
    {"created_at", time, "", "", true},
    {"updated_at", time, "", "", true},
    {"created_by", text},
    {"updated_by", text},
    {"warnings", texts, "fields of the body that have no effect"},
};
constexpr FieldDoc kHolder[] = {
    {"spend", money, "dollars in the current budget_duration, or in all", "", true},
    {"budget_reset_at", time},
    {"litellm_budget_table", ref, "the template of budget_id", "Budget"},
};

// --- keys ------------------------------------------------------------------------------------

constexpr FieldDoc kKeyFields[] = {
    {"key_alias", text, "for people; of one key only"},
    {"user_id", text},
    {"team_id", text},
    {"organization_id", text},
    {"duration", text, "until it expires: 30d; -1: never"},
    {"aliases", text_map, "model asked for: model meant"},
};
constexpr FieldDoc kNewKeyFields[] = {{"key", text, "its text, sk-...; made here unless given"}};
constexpr FieldDoc kKeyName[] = {{"key", text, "its text or its token", "", true}};
constexpr FieldDoc kKeyRotation[] = {
    {"key", text, "its text or its token, unless the path says it"},
    {"new_key", text, "sk-...; made here unless given"},
    {"grace_period", duration, "for which the old text works, too"},
};
constexpr FieldDoc kKeyChoice[] = {
    {"keys", texts, "texts or tokens"},
    {"key_aliases", texts},
};
constexpr FieldDoc kKey[] = {
    {"key_name", text, "sk-...1234", "", true},
    {"token", text, "stands for the key everywhere; outlives rotations", "", true},
    {"token_id", text, "the same"},
    {"expires", time},
    {"previous_key_until", time, "while an old text works"},
};
constexpr FieldDoc kShownOnce[] = {{"key", text, "its text, shown here and never again", "", true}};
constexpr FieldDoc kKeyInfo[] = {
    {"key", text, "its token", "", true},
    {"info", ref, "", "Key", true},
};
constexpr FieldDoc kKeyList[] = {
    {"keys", FieldType::any, "tokens, or whole keys", "", true},
    {"total_count", whole, "", "", true},
    {"current_page", whole, "", "", true},
    {"total_pages", whole, "", "", true},
};
constexpr FieldDoc kDeletedKeys[] = {{"deleted_keys", texts, "their tokens", "", true}};

// --- teams -----------------------------------------------------------------------------------

constexpr FieldDoc kPerson[] = {
    {"user_id", text},
    {"user_email", text, "where no user_id is given"},
};
constexpr FieldDoc kRole[] = {{"role", text, "", "user|admin"}};
constexpr FieldDoc kTeamFields[] = {
    {"team_alias", text, "for people"},
    {"organization_id", text},
    {"model_aliases", text_map, "model asked for: model meant"},
    {"team_member_budget", money, "of each member that has none of its own"},
    {"team_member_budget_duration", duration},
    {"team_member_rpm_limit", whole},
    {"team_member_tpm_limit", whole},
};
constexpr FieldDoc kNewTeam[] = {
    {"team_id", text, "made here unless given"},
    {"members_with_roles", refs, "", "MemberName"},
};
constexpr FieldDoc kTeamName[] = {{"team_id", text, "", "", true}};
constexpr FieldDoc kTeamChoice[] = {{"team_ids", texts, "", "", true}};
constexpr FieldDoc kTeam[] = {
    {"team_id", text, "", "", true},
    {"members_with_roles", refs, "", "MemberName", true},
};
constexpr FieldDoc kTeamChanged[] = {
    {"team_id", text, "", "", true},
    {"data", ref, "", "Team", true},
    {"warnings", texts},
};
constexpr FieldDoc kMembership[] = {
    {"user_id", text, "", "", true},
    {"team_id", text, "", "", true},
    {"spend", money, "", "", true},
    {"budget_reset_at", time},
    {"litellm_budget_table", ref, "what holds for this member", "Allowance", true},
    {"warnings", texts},
};
constexpr FieldDoc kTeamInfo[] = {
    {"team_id", text, "", "", true},
    {"team_info", ref, "", "Team", true},
    {"keys", refs, "", "Key", true},
    {"team_memberships", refs, "", "Membership", true},
};
constexpr FieldDoc kMemberAllowance[] = {
    {"max_budget_in_team", money, "of this member in this team"},
    {"budget_duration", duration},
    {"rpm_limit", whole},
    {"tpm_limit", whole},
};
constexpr FieldDoc kMemberAdd[] = {
    {"member", FieldType::any, "a MemberName, or a list of them", "", true}};
constexpr FieldDoc kDeletedTeams[] = {{"deleted_teams", texts, "", "", true}};
constexpr FieldDoc kTeamList[] = {{"", ref, "", "Team", true}};

// --- users -----------------------------------------------------------------------------------

constexpr std::string_view kRoles =
    "proxy_admin|proxy_admin_viewer|internal_user|internal_user_viewer";
constexpr FieldDoc kUserFields[] = {
    {"user_email", text, "of one user only"},
    {"user_alias", text},
    {"user_role", text, "kept and shown; gives no right here", kRoles},
    {"aliases", text_map, "model asked for: model meant"},
};
constexpr FieldDoc kNewUserFields[] = {
    {"user_id", text, "made here unless given"},
    {"teams", texts, "team ids to become a member of"},
    {"auto_create_key", flag, "a first key comes along unless false"},
    {"key_alias", text, "of the first key"},
    {"duration", duration, "until the first key expires"},
};
constexpr FieldDoc kUserName[] = {{"user_id", text, "", "", true}};
constexpr FieldDoc kUserChoice[] = {{"user_ids", texts, "", "", true}};
constexpr FieldDoc kUser[] = {
    {"user_id", text, "", "", true},
    {"teams", texts, "ids of the teams it is a member of", "", true},
};
constexpr FieldDoc kNewUser[] = {
    {"key", text, "the first key's text, shown here and never again"},
    {"key_name", text},
    {"token", text},
    {"expires", time},
};
constexpr FieldDoc kUserChanged[] = {
    {"user_id", text, "", "", true},
    {"data", ref, "", "User", true},
    {"warnings", texts},
};
constexpr FieldDoc kUserInfo[] = {
    {"user_id", text, "", "", true},
    {"user_info", ref, "", "User", true},
    {"keys", refs, "", "Key", true},
    {"teams", refs, "", "Team", true},
};
constexpr FieldDoc kUserList[] = {
    {"users", refs, "", "User", true},    {"total", whole, "", "", true},
    {"page", whole, "", "", true},        {"page_size", whole, "", "", true},
    {"total_pages", whole, "", "", true},
};
constexpr FieldDoc kDeletedUsers[] = {{"deleted_users", texts, "", "", true}};

// --- organisations, budgets, customers -------------------------------------------------------

constexpr FieldDoc kOrganizationFields[] = {
    {"organization_alias", text, "for people"},
    {"model_aliases", text_map, "model asked for: model meant"},
};
constexpr FieldDoc kNewOrganization[] = {{"organization_id", text, "made here unless given"}};
constexpr FieldDoc kOrganizationName[] = {{"organization_id", text, "", "", true}};
constexpr FieldDoc kOrganizationChoice[] = {{"organization_ids", texts, "", "", true}};
constexpr FieldDoc kOrganization[] = {
    {"organization_id", text, "", "", true},
    {"teams", texts, "ids of its teams", "", true},
};
constexpr FieldDoc kOrganizationList[] = {{"", ref, "", "Organization", true}};
constexpr FieldDoc kDeletedOrganizations[] = {{"deleted_organizations", texts, "", "", true}};

constexpr FieldDoc kNewBudget[] = {{"budget_id", text, "made here unless given"}};
constexpr FieldDoc kBudgetName[] = {{"budget_id", text, "", "", true}};
constexpr FieldDoc kBudgetOfId[] = {{"id", text, "of the template", "", true}};
constexpr FieldDoc kBudgetChoice[] = {{"budgets", texts, "their ids", "", true}};
constexpr FieldDoc kBudgetList[] = {{"", ref, "", "Budget", true}};

constexpr FieldDoc kCustomerFields[] = {
    {"user_id", text, "as calls name it", "", true},
    {"alias", text},
    {"blocked", flag},
    {"budget_id", text, "a template"},
    {"metadata", object},
};
constexpr FieldDoc kCustomer[] = {
    {"user_id", text, "", "", true},
    {"alias", text},
    {"aliases", text_map, "of no effect"},
};
constexpr FieldDoc kCustomerList[] = {{"", ref, "", "Customer", true}};
constexpr FieldDoc kDeletedCustomers[] = {{"deleted_customers", texts, "", "", true}};
constexpr FieldDoc kBlockedCustomers[] = {{"blocked_users", refs, "", "Customer", true}};
constexpr FieldDoc kUnblockedCustomers[] = {{"unblocked_users", texts, "", "", true}};

// --- spend, sessions, health -----------------------------------------------------------------

constexpr FieldDoc kSpendRow[] = {
    {"holder", text, "an id; empty: of calls that had none", "", true},
    {"alias", text, "of the holder, while it is known"},
    {"total_spend", money, "", "", true},
    {"spend_nano_dollars", whole, "the same, exact", "", true},
    {"calls", whole, "", "", true},
    {"input_tokens", whole, "without the next two", "", true},
    {"cached_input_tokens", whole, "", "", true},
    {"cache_write_tokens", whole, "", "", true},
    {"output_tokens", whole, "", "", true},
};
constexpr FieldDoc kSpendReport[] = {{"", ref, "", "SpendRow", true}};
constexpr FieldDoc kSpendLog[] = {
    {"request_id", text, "", "", true},
    {"call_type", text, "", "", true},
    {"api_key", text, "the key's token", "", true},
    {"spend", money, "", "", true},
    {"total_tokens", whole, "", "", true},
    {"prompt_tokens", whole, "", "", true},
    {"completion_tokens", whole, "", "", true},
    {"startTime", time, "", "", true},
    {"endTime", time, "", "", true},
    {"completionStartTime", time, "when the first byte was sent"},
    {"request_duration_ms", whole, "", "", true},
    {"model", text, "that answered", "", true},
    {"model_group", text, "as the client asked for it", "", true},
    {"model_id", text, "the deployment", "", true},
    {"user", text, "", "", true},
    {"team_id", text, "", "", true},
    {"organization_id", text, "", "", true},
    {"end_user", text, "", "", true},
    {"session_id", text, "", "", true},
    {"status", text, "", "ok|upstream_error|aborted|timeout|cut|lost", true},
    {"request_tags", texts, "", "", true},
    {"metadata", object, "cached tokens, attempts, and who counted", "", true},
};
constexpr FieldDoc kSpendDay[] = {
    {"startTime", day, "", "", true},
    {"spend", money, "", "", true},
    {"users", object, "dollars by user", "", true},
    {"models", object, "dollars by model", "", true},
};
constexpr FieldDoc kSpendLogs[] = {
    {"", FieldType::any, "a SpendDay, or a SpendLog when summarize is false", "", true}};
constexpr FieldDoc kSession[] = {
    {"session", text, "", "", true},
    {"upstream", text, "where it lives"},
    {"calls_running", whole, "", "", true},
    {"calls", objects, "the last ones, with why a prefix was missed", "", true},
    {"children", objects, "its sub-agents: the same of each, and its name as `agent`", "", true},
};
constexpr FieldDoc kModelList[] = {
    {"object", text, "", "list"},
    {"data", objects, "a Model each", "", true},
    {"has_more", flag, "false, to clients that send anthropic-version"},
};
constexpr FieldDoc kModel[] = {
    {"id", text, "", "", true},
    {"object", text, "", "model"},
    {"created", whole, "0: not known"},
    {"owned_by", text},
    {"type", text, "to clients that send anthropic-version, with display_name and created_at",
     "model"},
};
constexpr FieldDoc kModelInfo[] = {
    {"data", objects, "{model_name, litellm_params, model_info}; prices are dollars", "", true},
};
constexpr FieldDoc kHealth[] = {
    {"healthy_endpoints", objects, "", "", true},
    {"unhealthy_endpoints", objects, "", "", true},
    {"healthy_count", whole, "", "", true},
    {"unhealthy_count", whole, "", "", true},
};
constexpr FieldDoc kReadiness[] = {{"status", text, "", "", true}, {"db", text}};
constexpr FieldDoc kDrained[] = {
    {"status", text, "", "drained|draining", true},
    {"calls_running", whole, "that go on", "", true},
};
constexpr FieldDoc kCache[] = {
    {"status", text, "", "healthy", true}, {"cache_type", text, "", "local", true},
    {"answers", whole, "", "", true},      {"bytes", whole, "", "", true},
    {"max_bytes", whole, "", "", true},
};
constexpr FieldDoc kCacheKeys[] = {
    {"keys", texts, "as x-litellm-cache-key has them", "", true},
};
constexpr FieldDoc kCacheChanged[] = {
    {"status", text, "", "success", true},
    {"deleted", whole, "answers that were there", "", true},
};
constexpr FieldDoc kReloaded[] = {
    {"status", text, "", "success", true},
    {"warnings", texts, "of the configuration", "", true},
};
constexpr FieldDoc kBacklog[] = {
    {"ledger_records", whole, "accepted and not in the store yet", "", true},
    {"ledger_bytes", whole, "", "", true},
    {"log_trouble", text, "why the disk takes nothing", "", true},
    {"store_trouble", text, "the same of the store", "", true},
};

// --- calls to models -------------------------------------------------------------------------

constexpr FieldDoc kModelCall[] = {
    {"model", text, "one of /v1/models", "", true},
    {"stream", flag, "answer piece by piece"},
};
constexpr FieldDoc kResponse[] = {
    {"id", text, "", "", true},
    {"object", text, "", "response", true},
    {"output", objects, "items", "", true},
};
constexpr FieldDoc kDeletedResponse[] = {
    {"id", text, "", "", true},
    {"object", text, "", "response", true},
    {"deleted", flag, "", "", true},
};
constexpr FieldDoc kInputItems[] = {
    {"object", text, "", "list", true},
    {"data", objects, "items", "", true},
    {"has_more", flag, "", "", true},
};
constexpr FieldDoc kTokenCountRequest[] = {
    {"model", text, "one of /v1/models", "", true},
    {"messages", objects, "of a conversation; tools may stand beside them"},
    {"prompt", FieldType::any, "text, where there are no messages"},
};
constexpr FieldDoc kTokenCount[] = {
    {"total_tokens", whole, "", "", true},
    {"request_model", text, "", "", true},
    {"model_used", text, "after the caller's aliases", "", true},
    {"tokenizer_type", text, "estimate: the model has no tokenizer here",
     "huggingface_tokenizer|estimate", true},
};
constexpr FieldDoc kFailure[] = {
    {"error", ref, "", "FailureDetails", true},
    {"type", text, "error, to clients of Anthropic's dialect"},
};
constexpr FieldDoc kFailureDetails[] = {
    {"message", text, "", "", true},
    {"type", text, "budget_exceeded, auth_error, bad_request_error, ...", "", true},
    {"param", text, "the field that is wrong"},
    {"code", text, "the status"},
};

constexpr SchemaDoc kSchemas[] = {
    {"Allowance", "What a holder may use.", kAllowance},
    {"HolderFields", "", kHolderFields, "Allowance"},
    {"Stamps", "", kStamps},
    {"Holder", "", kHolder, "HolderFields Stamps"},
    {"KeyFields", "", kKeyFields, "HolderFields"},
    {"NewKey", "", kNewKeyFields, "KeyFields"},
    {"KeyName", "", kKeyName},
    {"KeyChange", "", {}, "KeyFields KeyName"},
    {"KeyRotation", "", kKeyRotation, "KeyFields"},
    {"KeyChoice", "keys, key_aliases, or both.", kKeyChoice},
    {"Key", "", kKey, "KeyFields Holder"},
    {"KeyShownOnce", "", kShownOnce, "Key"},
    {"KeyInfo", "", kKeyInfo},
    {"KeyList", "", kKeyList},
    {"DeletedKeys", "", kDeletedKeys},
    {"Person", "", kPerson},
    {"MemberName", "", kRole, "Person"},
    {"TeamFields", "", kTeamFields, "HolderFields"},
    {"NewTeam", "", kNewTeam, "TeamFields"},
    {"TeamName", "", kTeamName},
    {"TeamChange", "", {}, "TeamFields TeamName"},
    {"TeamChoice", "", kTeamChoice},
    {"Team", "", kTeam, "TeamFields Holder"},
    {"TeamChanged", "", kTeamChanged},
    {"TeamInfo", "", kTeamInfo},
    {"TeamList", "", kTeamList, "", true},
    {"DeletedTeams", "", kDeletedTeams},
    {"Membership", "", kMembership},
    {"MemberAllowance", "", kMemberAllowance},
    {"MemberAdd", "", kMemberAdd, "TeamName MemberAllowance"},
    {"MemberChange", "", {}, "TeamName MemberName MemberAllowance"},
    {"MemberRemoval", "", {}, "TeamName Person"},
    {"UserFields", "", kUserFields, "HolderFields"},
    {"NewUserFields", "", kNewUserFields, "UserFields"},
    {"UserName", "", kUserName},
    {"UserChange", "", {}, "UserFields UserName"},
    {"UserChoice", "", kUserChoice},
    {"User", "", kUser, "UserFields Holder"},
    {"NewUser", "", kNewUser, "User"},
    {"UserChanged", "", kUserChanged},
    {"UserInfo", "", kUserInfo},
    {"UserList", "", kUserList},
    {"DeletedUsers", "", kDeletedUsers},
    {"OrganizationFields", "", kOrganizationFields, "HolderFields"},
    {"NewOrganization", "", kNewOrganization, "OrganizationFields"},
    {"OrganizationName", "", kOrganizationName},
    {"OrganizationChange", "", {}, "OrganizationFields OrganizationName"},
    {"OrganizationChoice", "", kOrganizationChoice},
    {"Organization", "", kOrganization, "OrganizationFields Holder"},
    {"OrganizationList", "", kOrganizationList, "", true},
    {"DeletedOrganizations", "", kDeletedOrganizations},
    {"NewBudget", "A template of limits that holders share by its id.", kNewBudget, "Allowance"},
    {"BudgetName", "", kBudgetName},
    {"BudgetOfId", "", kBudgetOfId},
    {"BudgetChange", "", {}, "Allowance BudgetName"},
    {"BudgetChoice", "", kBudgetChoice},
    {"Budget", "", {}, "BudgetName Allowance Stamps"},
    {"BudgetList", "", kBudgetList, "", true},
    {"CustomerFields", "Those on whose behalf a key's holder calls.", kCustomerFields, "Allowance"},
    {"Customer", "", kCustomer, "Holder"},
    {"CustomerList", "", kCustomerList, "", true},
    {"DeletedCustomers", "", kDeletedCustomers},
    {"BlockedCustomers", "", kBlockedCustomers},
    {"UnblockedCustomers", "", kUnblockedCustomers},
    {"SpendRow", "", kSpendRow},
    {"SpendReport", "", kSpendReport, "", true},
    {"SpendLog", "One call.", kSpendLog},
    {"SpendDay", "", kSpendDay},
    {"SpendLogs", "", kSpendLogs, "", true},
    {"Session", "", kSession},
    {"ModelList", "", kModelList},
    {"Model", "", kModel},
    {"ModelInfo", "", kModelInfo},
    {"Health", "", kHealth},
    {"Readiness", "", kReadiness},
    {"Backlog", "", kBacklog},
    {"Reloaded", "", kReloaded},
    {"Drained", "", kDrained},
    {"Cache", "", kCache},
    {"CacheKeys", "", kCacheKeys},
    {"CacheChanged", "", kCacheChanged},
    {"ModelCall", "In the dialect of the path; goes on to the upstream as it came.", kModelCall},
    {"Response", "As the call of /v1/responses was answered.", kResponse},
    {"DeletedResponse", "", kDeletedResponse},
    {"InputItems", "", kInputItems},
    {"TokenCountRequest", "", kTokenCountRequest},
    {"TokenCount", "", kTokenCount},
    {"Failure", "", kFailure},
    {"FailureDetails", "", kFailureDetails},
};

}  // namespace

std::span<const SchemaDoc> schema_docs() {
    return kSchemas;
}

const SchemaDoc* find_schema(std::string_view name) {
    for (const SchemaDoc& schema : kSchemas)
        if (schema.name == name) return &schema;
    return nullptr;
}

}  // namespace brigada
