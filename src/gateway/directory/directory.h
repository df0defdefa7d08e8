// Directory: who may call, with what, and within which limits. Organisations, teams, users and keys
// in memory, owned by one loop. A change is drafted, written to a store elsewhere and then
// absorbed; it counts at once: the next identify() sees it.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/wall_time.h"
#include "gateway/directory/caller.h"
#include "gateway/directory/change.h"
#include "gateway/directory/directory_store.h"
#include "gateway/directory/key_secret.h"
#include "gateway/directory/recent_names.h"
#include "gateway/directory/records.h"
#include "gateway/directory/scope_book.h"
#include "gateway/directory/table.h"

namespace brigada {

/// What no key may exceed. A key that leaves one open gets the bound itself.
struct KeyBounds {
    RateLimits limits = {};
    std::optional<Money> max_budget = {};
    std::string budget_duration = {};  // a key's own may not be shorter
    std::string lifetime = {};         // from now to a key's expiry
};

struct DirectoryConfig {
    std::string master_key = {};  // empty: nobody administers. Only its hash is kept
    Allowance proxy = {};         // over all callers together
    KeyBounds key_bounds = {};
    PriorityClass default_priority = PriorityClass::standard;  // where no level says one
    std::optional<int64_t> key_concurrency = {};               // of a key that says nothing itself
    std::optional<Money> end_user_budget = {};  // of an end user that has none, known or not
    std::string end_user_budget_id = {};        // the template of what it says nothing of
    Json key_defaults = Json::object();   // fields of a body of /key/generate that leaves them out
    Json team_defaults = Json::object();  // the same of /team/new
};

struct NewKey {
    std::string text;  // shown once
    std::string id;
    Changes changes;
};

class Directory {
  public:
    Directory(const DirectoryConfig& config, KeyHasher hasher, RandomBytes random);

    /// Records as a store kept them, into an empty directory. Error::corrupt when they contradict
    /// each other.
    Result<void> restore(std::vector<Record> records);

    /// Another master key, other defaults and bounds from now on: for keys and teams to come, and
    /// for what the proxy as a whole may use.
    void set_config(const DirectoryConfig& config);

    // --- who calls ------------------------------------------------------------------------------

    /// One hash and one look-up, however many keys there are.
    std::expected<CallerRef, Denial> identify(std::string_view key_text, WallTime now);

    /// Nothing when the end user is unknown or may call.
    std::optional<Denial> denies_end_user(std::string_view end_user) const;

    /// The scopes a call counts against, narrowest first: the end user's when it has limits, then
    /// key, member, user, team, organisation, proxy; each over all models, then for this one.
    /// Holders without limits have none.
    std::vector<ScopeId> scopes(const Caller& caller, std::string_view model,
                                std::string_view end_user);

    /// Scopes that are new, whose limits may have changed, or that are gone, since last asked.
    /// Whoever admits takes their limits over before the next call.
    std::vector<ScopeId> take_stale_scopes() { return std::exchange(stale_, {}); }

    /// The id of this scope, from now on if it has none yet.
    ScopeId scope_of(const ScopeInfo& info);
    /// Null when the scope is gone.
    const ScopeInfo* describe(ScopeId scope) const { return scopes_.find(scope); }
    RateLimits limits_of(ScopeId scope) const;
    std::vector<BudgetRule> budgets_of(ScopeId scope) const;

    /// What a holder may use, its budget template counted in.
    Allowance allowance_of(const ScopeInfo& info) const;

    // --- records --------------------------------------------------------------------------------

    template <typename T>
    const T* find(std::string_view id) const {
        return table<T>().find(id);
    }
    template <typename T>
    const T* named(std::string_view name) const {
        return table<T>().named(name);
    }
    template <typename T>
    const auto& all() const {
        return table<T>().rows();
    }
    /// By the text its owner has, current or in grace. Null when unknown.
    const Key* find_key(std::string_view text) const;

    std::vector<const Key*> keys_of_team(std::string_view team) const;
    std::vector<const Key*> keys_of_user(std::string_view user) const;

    // --- changes --------------------------------------------------------------------------------

    /// Takes back whatever `work` changes, before anybody has seen it: what remains is what the
    /// changes say.
    void draft(const std::function<void()>& work);

    /// What a store has now, here or through another gateway. It was judged when it was made.
    void absorb(DirectoryNews news);

    // All of them or, with an Error, none.

    /// One step of a change: the record as it shall be, or its end.
    struct Edit {
        std::string action;
        RecordKind kind;
        std::string id;
        std::optional<Record> after;
    };
    static Edit put(std::string action, Record record);

    /// After the edits in `first`.
    Result<Changes> create(Record record, const Act& act, std::vector<Edit> first = {});
    Result<Changes> update(Record record, const Act& act, std::vector<Edit> first = {});
    Result<Changes> set_blocked(RecordKind kind, std::string_view id, bool blocked, const Act& act);
    /// A team's keys go with it, a user's keys and memberships too. Error::invalid_argument while
    /// an organisation or a budget template is in use.
    Result<Changes> erase(RecordKind kind, const std::set<std::string>& ids, const Act& act);

    /// Several in one: each is judged as if those before it were done.
    Result<Changes> apply(std::vector<Edit> edits, const Act& act);

    /// Makes a key from `draft`, with a text that is chosen or made, after the edits in `first`. A
    /// user that is named but unknown is created.
    Result<NewKey> create_key(Key draft, std::optional<std::string> text, const Act& act,
                              std::vector<Edit> first = {});

    /// `changed` is the key as it shall be, with a new text. The old text works until `grace` (a
    /// duration; empty: not at all) has passed.
    Result<NewKey> rotate_key(Key changed, std::optional<std::string> text, std::string_view grace,
                              const Act& act);

    std::string new_id() const { return make_id(random_); }
    const DirectoryConfig& config() const { return config_; }

    void check() const;

  private:
    /// A key as found by a hash, and what identify() made of it the last time.
    struct HashEntry {
        const Key* key = nullptr;
        std::expected<CallerRef, Denial> known = std::unexpected(Denial{});
        uint64_t revision = 0;  // `known` holds as of this one
    };

    template <typename T>
    Table<T>& table() {
        return std::get<Table<T>>(tables_);
    }
    template <typename T>
    const Table<T>& table() const {
        return std::get<Table<T>>(tables_);
    }
    std::optional<Record> exchange(RecordKind kind, const std::string& id,
                                   std::optional<Record> record);
    void index(const Key& key);
    void unindex(const Key& key);
    const Holder* find_holder(RecordKind kind, std::string_view id) const;
    std::optional<Record> copy_of(RecordKind kind, std::string_view id) const;

    Result<std::string> choose_text(std::optional<std::string> text) const;
    Result<Change> apply_one(Edit edit, const Act& act, std::vector<Edit>& undo);
    void revert(std::vector<Edit> undo);
    void find_missing(DirectoryNews& news) const;
    void give_text(Key& key, std::string_view text) const;

    // Rules (directory_rules.cc).
    Result<void> check_put(const Record& record) const;
    Result<void> check_references(const Team& team) const;
    Result<void> check_references(const Key& key) const;
    Result<void> keep_within_bounds(Key& key, WallTime now) const;
    Result<void> check_erase(RecordKind kind, std::string_view id) const;
    std::vector<Edit> erasures(RecordKind kind, const std::set<std::string>& ids) const;

    // Callers (directory_callers.cc).
    std::expected<CallerRef, Denial> make_caller(const Key& key);
    std::string_view organisation_of(const Key& key) const;
    std::optional<Denial> find_block(const Key& key) const;
    bool may_limit(std::string_view end_user) const;
    Allowance end_user_default() const;
    void add_scopes(std::vector<CallerScope>& to, const ScopeInfo& info);
    void keep_recent_end_users(const ScopeInfo& end_user);
    std::vector<ScopeId> scopes_of_record(RecordKind kind, std::string_view id) const;
    void scopes_changed(RecordKind kind, const std::string& id, bool is_gone);

    DirectoryConfig config_;
    KeyHasher hasher_;
    RandomBytes random_;
    std::optional<KeyHash> master_hash_;
    CallerRef master_caller_;

    std::tuple<Table<Organisation>, Table<User>, Table<BudgetTemplate>, Table<Team>, Table<Key>,
               Table<EndUser>>
        tables_;
    std::unordered_map<KeyHash, HashEntry, KeyHashHasher> by_hash_;
    uint64_t revision_ = 1;               // of what identify() has made
    std::vector<Edit>* draft_ = nullptr;  // how to take back the draft under way

    ScopeBook scopes_;
    RecentNames end_users_;  // whose scopes are there
    std::vector<ScopeId> stale_;
};

}  // namespace brigada
