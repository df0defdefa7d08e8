#include "gateway/directory/directory.h"

#include <algorithm>
#include <ranges>

#include "gateway/directory/record_json.h"
#include "gateway/directory/record_kinds.h"
#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

Error no_such(RecordKind kind, std::string_view id) {
    return {Code::not_found,
            concat(id_field(kind), ": there is no ", to_string(kind), " '", id, "'")};
}

/// New records are stamped as made now, changed ones keep when they were made.
void stamp(Holder& record, const Holder* before, const Act& act) {
    record.created = before ? before->created : act.now;
    record.created_by = before ? before->created_by : act.actor;
    record.updated = act.now;
    record.updated_by = act.actor;
}

Json json_or_null(const std::optional<Record>& record) {
    return record ? to_json(*record) : Json();
}

/// With limits of their own: about 1 KB each, with what is counted of them.
constexpr size_t kMostEndUsers = 50'000;

bool is_created(const std::vector<Directory::Edit>& edits, RecordKind kind, std::string_view id) {
    return std::ranges::any_of(edits, [&](const Directory::Edit& edit) {
        return edit.kind == kind && edit.id == id && edit.after;
    });
}

}  // namespace

Directory::Directory(const DirectoryConfig& config, KeyHasher hasher, RandomBytes random)
    : hasher_(std::move(hasher)), random_(std::move(random)), end_users_(kMostEndUsers) {
    set_config(config);
}

void Directory::set_config(const DirectoryConfig& config) {
    config_ = config;
    ++revision_;
    for (const ScopeId scope : scopes_.all())
        stale_.push_back(scope);
    master_hash_.reset();
    if (config_.master_key.empty()) return;
    master_hash_ = hasher_.hash(config_.master_key);
    config_.master_key = "(kept as its hash)";
    master_caller_ = std::make_shared<Caller>(
        Caller{.admin = true, .key = "master", .key_alias = "master key", .tenant = "master"});
}

Result<void> Directory::restore(std::vector<Record> records) {
    for (Record& record : records) {
        const std::string id = holder_of(record).id;
        const RecordKind kind = kind_of(record);
        if (exchange(kind, id, std::move(record)))
            return Error{Code::corrupt, concat(to_string(kind), " '", id, "' is there twice")};
    }
    for (RecordKind kind : kRecordKinds)
        TRY(with_type_of(kind, [&]<typename T>(std::type_identity<T>) -> Result<void> {
            for (const auto& [id, record] : table<T>().rows())
                if (auto good = check_put(record); !good.ok())
                    return Error{Code::corrupt,
                                 concat(to_string(kind), " '", id, "': ", good.error().message)};
            return {};
        }));
    return {};
}

const Key* Directory::find_key(std::string_view text) const {
    if (!looks_like_key(text)) return nullptr;
    const auto found = by_hash_.find(hasher_.hash(text));
    return found == by_hash_.end() ? nullptr : found->second.key;
}

std::vector<const Key*> Directory::keys_of_team(std::string_view team) const {
    std::vector<const Key*> keys;
    for (const auto& [id, key] : all<Key>())
        if (key.team == team) keys.push_back(&key);
    return keys;
}

std::vector<const Key*> Directory::keys_of_user(std::string_view user) const {
    std::vector<const Key*> keys;
    for (const auto& [id, key] : all<Key>())
        if (key.user == user) keys.push_back(&key);
    return keys;
}

// --- changes ---------------------------------------------------------------------------------

Directory::Edit Directory::put(std::string action, Record record) {
    return {std::move(action), kind_of(record), holder_of(record).id, std::move(record)};
}

Result<Changes> Directory::create(Record record, const Act& act, std::vector<Edit> first) {
    const RecordKind kind = kind_of(record);
    const std::string& id = holder_of(record).id;
    if (find_holder(kind, id))
        return Error{Code::invalid_argument, concat(id_field(kind), ": there is a ",
                                                    to_string(kind), " '", id, "' already")};
    first.push_back(put("created", std::move(record)));
    return apply(std::move(first), act);
}

Result<Changes> Directory::update(Record record, const Act& act, std::vector<Edit> first) {
    const RecordKind kind = kind_of(record);
    if (!find_holder(kind, holder_of(record).id)) return no_such(kind, holder_of(record).id);
    if (Key* key = std::get_if<Key>(&record)) TRY(keep_within_bounds(*key, act.now));
    first.push_back(put("updated", std::move(record)));
    return apply(std::move(first), act);
}

Result<Changes> Directory::set_blocked(RecordKind kind, std::string_view id, bool blocked,
                                       const Act& act) {
    auto record = copy_of(kind, id);
    if (!record) return no_such(kind, id);
    holder_of(*record).blocked = blocked;
    return apply({put(blocked ? "blocked" : "unblocked", *std::move(record))}, act);
}

Result<Changes> Directory::erase(RecordKind kind, const std::set<std::string>& ids,
                                 const Act& act) {
    return apply(erasures(kind, ids), act);
}

Result<Changes> Directory::apply(std::vector<Edit> edits, const Act& act) {
    Changes changes;
    std::vector<Edit> undo;
    for (Edit& edit : edits) {
        auto change = apply_one(std::move(edit), act, undo);
        if (!change.ok()) {
            revert(std::move(undo));
            return std::move(change).error();
        }
        changes.push_back(*std::move(change));
    }
    if (draft_) {
        draft_->insert(draft_->end(), std::make_move_iterator(undo.begin()),
                       std::make_move_iterator(undo.end()));
        return changes;
    }
    ++revision_;
    for (const Change& change : changes)
        scopes_changed(change.kind, change.id, change.after.is_null());
    return changes;
}

void Directory::draft(const std::function<void()>& work) {
    CHECK(draft_ == nullptr, "a draft within a draft");
    std::vector<Edit> undo;
    draft_ = &undo;
    work();
    draft_ = nullptr;
    revert(std::move(undo));
}

/// First out with all of them, then in: a name or a hash may have gone from one to another.
void Directory::absorb(DirectoryNews news) {
    if (news.is_whole) find_missing(news);
    for (const DirectoryNews::Gone& gone : news.gone)
        exchange(gone.kind, gone.id, std::nullopt);
    for (const Record& record : news.now)
        exchange(kind_of(record), holder_of(record).id, std::nullopt);
    ++revision_;
    for (const DirectoryNews::Gone& gone : news.gone)
        scopes_changed(gone.kind, gone.id, true);
    for (Record& record : news.now) {
        const RecordKind kind = kind_of(record);
        const std::string id = holder_of(record).id;
        exchange(kind, id, std::move(record));
        scopes_changed(kind, id, false);
    }
}

/// What is here and not in the whole.
void Directory::find_missing(DirectoryNews& news) const {
    std::set<std::pair<RecordKind, std::string_view>> there;
    for (const Record& record : news.now)
        there.emplace(kind_of(record), holder_of(record).id);
    for (const RecordKind kind : kRecordKinds)
        with_type_of(kind, [&]<typename T>(std::type_identity<T>) {
            for (const auto& [id, record] : all<T>())
                if (!there.contains({kind, id})) news.gone.push_back({kind, id});
        });
}

Result<Change> Directory::apply_one(Edit edit, const Act& act, std::vector<Edit>& undo) {
    if (edit.after) {
        TRY(check_put(*edit.after));
        stamp(holder_of(*edit.after), find_holder(edit.kind, edit.id), act);
    } else {
        TRY(check_erase(edit.kind, edit.id));
    }
    Json after = json_or_null(edit.after);
    auto before = exchange(edit.kind, edit.id, std::move(edit.after));
    Change change{.at = act.now,
                  .actor = act.actor,
                  .action = std::move(edit.action),
                  .kind = edit.kind,
                  .id = edit.id,
                  .before = json_or_null(before),
                  .after = std::move(after)};
    undo.push_back({"", edit.kind, std::move(edit.id), std::move(before)});
    return change;
}

void Directory::revert(std::vector<Edit> undo) {
    for (Edit& edit : undo | std::views::reverse)
        exchange(edit.kind, edit.id, std::move(edit.after));
}

Result<NewKey> Directory::create_key(Key draft, std::optional<std::string> text, const Act& act,
                                     std::vector<Edit> first) {
    TRY(const std::string chosen, choose_text(std::move(text)));
    TRY(keep_within_bounds(draft, act.now));
    give_text(draft, chosen);
    draft.id = draft.hash.hex();
    if (find<Key>(draft.id))
        return Error{Code::invalid_argument, "key: this key was in use before; choose another"};
    const std::string& user = draft.user;
    if (!user.empty() && !find<User>(user) && !is_created(first, RecordKind::user, user)) {
        User record;
        record.id = user;
        first.push_back(put("created", std::move(record)));
    }
    const std::string id = draft.id;
    first.push_back(put("created", std::move(draft)));
    TRY(Changes changes, apply(std::move(first), act));
    return NewKey{.text = chosen, .id = id, .changes = std::move(changes)};
}

Result<NewKey> Directory::rotate_key(Key changed, std::optional<std::string> text,
                                     std::string_view grace, const Act& act) {
    const Key* old = find<Key>(changed.id);
    if (!old) return no_such(RecordKind::key, changed.id);
    TRY(const std::string chosen, choose_text(std::move(text)));
    TRY(keep_within_bounds(changed, act.now));
    changed.previous_hash.reset();
    changed.previous_until = {};
    if (!grace.empty()) {
        TRY(changed.previous_until, after(act.now, grace));
        changed.previous_hash = old->hash;
    }
    give_text(changed, chosen);
    if (changed.hash == old->hash)
        return Error{Code::invalid_argument, "new_key: the new key is the old one"};
    const std::string id = changed.id;
    TRY(Changes changes, apply({put("rotated", std::move(changed))}, act));
    return NewKey{.text = chosen, .id = id, .changes = std::move(changes)};
}

Result<std::string> Directory::choose_text(std::optional<std::string> text) const {
    if (!text) return make_key_text(random_);
    TRY(check_chosen_key(*text));
    return *std::move(text);
}

void Directory::give_text(Key& key, std::string_view text) const {
    key.hash = hasher_.hash(text);
    key.display = key_display(text);
}

// --- tables ----------------------------------------------------------------------------------

std::optional<Record> Directory::exchange(RecordKind kind, const std::string& id,
                                          std::optional<Record> record) {
    return with_type_of(kind, [&]<typename T>(std::type_identity<T>) -> std::optional<Record> {
        std::optional<T> next;
        if (record) next = std::get<T>(*std::move(record));
        if constexpr (std::is_same_v<T, Key>)
            if (const Key* old = find<Key>(id)) unindex(*old);
        auto before = table<T>().exchange(id, std::move(next));
        if constexpr (std::is_same_v<T, Key>)
            if (const Key* now = find<Key>(id)) index(*now);
        return before ? std::optional<Record>(*std::move(before)) : std::nullopt;
    });
}

void Directory::index(const Key& key) {
    by_hash_[key.hash] = {.key = &key};
    if (key.previous_hash) by_hash_[*key.previous_hash] = {.key = &key};
}

void Directory::unindex(const Key& key) {
    by_hash_.erase(key.hash);
    if (key.previous_hash) by_hash_.erase(*key.previous_hash);
}

const Holder* Directory::find_holder(RecordKind kind, std::string_view id) const {
    return with_type_of(
        kind, [&]<typename T>(std::type_identity<T>) -> const Holder* { return find<T>(id); });
}

std::optional<Record> Directory::copy_of(RecordKind kind, std::string_view id) const {
    return with_type_of(kind, [&]<typename T>(std::type_identity<T>) -> std::optional<Record> {
        const T* found = find<T>(id);
        return found ? std::optional<Record>(*found) : std::nullopt;
    });
}

void Directory::check() const {
    for (RecordKind kind : kRecordKinds)
        with_type_of(kind, [&]<typename T>(std::type_identity<T>) {
            table<T>().check();
            for (const auto& [id, record] : table<T>().rows())
                check_put(record).value();
        });
    size_t hashes = 0;
    for (const auto& [id, key] : all<Key>()) {
        hashes += key.previous_hash ? 2 : 1;
        CHECK(by_hash_.at(key.hash).key == &key);
        CHECK(!key.previous_hash || by_hash_.at(*key.previous_hash).key == &key);
    }
    CHECK(hashes == by_hash_.size(), hashes, " ", by_hash_.size());
    scopes_.check();
}

}  // namespace brigada
