// The directory against a model that keeps plain lists and looks everything up from the start.
#include <algorithm>

#include "gateway/directory/office.h"
#include "gateway/directory/record_kinds.h"

namespace brigada {
namespace {

struct NaiveHolder {
    std::string id = {};
    std::string parent = {};  // of a team: its organisation
    bool blocked = false;
    bool limited = false;
};

struct NaiveKey {
    std::string text = {}, old_text = {}, team = {}, user = {};
    WallTime old_until = {}, expires = {};  // expires 0: never
    bool blocked = false, limited = false;
};

/// What an administrator did, remembered in lists.
class Model {
  public:
    std::vector<NaiveHolder> organisations, teams, users;
    std::vector<NaiveKey> keys;
    std::vector<std::string> dead;  // texts that were keys once

    static NaiveHolder* find(std::vector<NaiveHolder>& list, const std::string& id) {
        const auto found = std::ranges::find(list, id, &NaiveHolder::id);
        return found == list.end() ? nullptr : &*found;
    }

    /// "ok", or the type of the denial.
    std::string identify(const std::string& text, WallTime now) {
        for (const NaiveKey& key : keys) {
            if (key.text != text && key.old_text != text) continue;
            if (key.old_text == text && now >= key.old_until) return "expired_key";
            if (key.expires.ns && now >= key.expires) return "expired_key";
            return is_blocked(key) ? "auth_error" : "ok";
        }
        return "token_not_found_in_db";
    }

    std::vector<std::string> scopes(const std::string& text) {
        std::vector<std::string> kinds;
        for (const NaiveKey& key : keys) {
            if (key.text != text && key.old_text != text) continue;
            if (key.limited) kinds.push_back("key");
            if (const auto* user = find(users, key.user); user && user->limited)
                kinds.push_back("user " + user->id);
            const auto* team = find(teams, key.team);
            if (team && team->limited) kinds.push_back("team " + team->id);
            const auto* above = team ? find(organisations, team->parent) : nullptr;
            if (above && above->limited) kinds.push_back("organisation " + above->id);
        }
        return kinds;
    }

    void erase_keys(auto is_gone) {
        for (const NaiveKey& key : keys)
            if (is_gone(key)) dead.insert(dead.end(), {key.text, key.old_text});
        std::erase_if(keys, is_gone);
    }

  private:
    bool is_blocked(const NaiveKey& key) {
        const auto* user = find(users, key.user);
        const auto* team = find(teams, key.team);
        const auto* above = team ? find(organisations, team->parent) : nullptr;
        return key.blocked || (user && user->blocked) || (team && team->blocked) ||
               (above && above->blocked);
    }
};

class Play {
  public:
    explicit Play(uint64_t seed) : rng_(seed) {}

    void step() {
        switch (rng_.below(10)) {
            case 0:
                return make("/organization/new", "organization_id", model_.organisations, {});
            case 1: {
                const std::string above = pick(model_.organisations);
                return make("/team/new", "team_id", model_.teams, {{"organization_id", above}},
                            above);
            }
            case 2:
                return make("/user/new", "user_id", model_.users, {{"auto_create_key", false}});
            case 3:
            case 4:
                return make_key();
            case 5:
                return block();
            case 6:
                return rotate();
            case 7:
                return erase();
            case 8:
                return limit();
            default:
                office_.now = office_.now + Duration::seconds(rng_.between(0, 20));
        }
    }

    void compare() {
        std::vector<std::string> texts = model_.dead;
        for (const NaiveKey& key : model_.keys)
            texts.insert(texts.end(), {key.text, key.old_text});
        for (const std::string& text : texts) {
            if (text.empty()) continue;
            const std::string expected = model_.identify(text, office_.now);
            const std::string denial = office_.denial(text);
            ASSERT_EQ(denial.empty() ? "ok" : denial, expected);
            if (expected == "ok") ASSERT_EQ(scopes(text), model_.scopes(text));
        }
    }

    bool saw_much() const { return made_ > 20; }

  private:
    std::string pick(const std::vector<NaiveHolder>& list) {
        return list.empty() || rng_.chance(0.3) ? "" : list[rng_.below(list.size())].id;
    }

    void make(std::string_view path, std::string_view field, std::vector<NaiveHolder>& list,
              Json body, std::string parent = "") {
        const std::string id = concat(field[0], ++made_);
        body[std::string(field)] = id;
        office_.post(path, body);
        list.push_back({.id = id, .parent = std::move(parent)});
    }

    void make_key() {
        ++made_;
        NaiveKey key{.team = pick(model_.teams), .user = pick(model_.users)};
        Json body = {{"team_id", key.team}, {"user_id", key.user}};
        if (rng_.chance(0.5)) {
            const auto seconds = rng_.between(1, 100);
            key.expires = office_.now + Duration::seconds(seconds);
            body["duration"] = concat(seconds, "s");
        }
        key.text = office_.new_key(body);
        model_.keys.push_back(key);
    }

    NaiveKey* any_key() {
        return model_.keys.empty() ? nullptr : &model_.keys[rng_.below(model_.keys.size())];
    }

    /// One holder of one kind, and the kind.
    std::pair<NaiveHolder*, RecordKind> any_holder() {
        const std::pair<std::vector<NaiveHolder>*, RecordKind> lists[] = {
            {&model_.organisations, RecordKind::organisation},
            {&model_.teams, RecordKind::team},
            {&model_.users, RecordKind::user}};
        const auto& [list, kind] = lists[rng_.below(3)];
        return {list->empty() ? nullptr : &(*list)[rng_.below(list->size())], kind};
    }

    void block() {
        if (NaiveKey* key = any_key(); key && rng_.chance(0.4)) {
            key->blocked = !key->blocked;
            office_.post(key->blocked ? "/key/block" : "/key/unblock", {{"key", key->text}});
            return;
        }
        const auto [holder, kind] = any_holder();
        if (!holder) return;
        holder->blocked = !holder->blocked;
        ASSERT_TRUE(
            office_.directory.set_blocked(kind, holder->id, holder->blocked, {"model", office_.now})
                .ok());
    }

    void limit() {
        if (NaiveKey* key = any_key(); key && rng_.chance(0.4)) {
            key->limited = !key->limited;
            office_.post("/key/update", {{"key", key->text}, {"rpm_limit", number(key->limited)}});
            return;
        }
        const auto [holder, kind] = any_holder();
        if (!holder) return;
        holder->limited = !holder->limited;
        const auto path = kind == RecordKind::team   ? "/team/update"
                          : kind == RecordKind::user ? "/user/update"
                                                     : "/organization/update";
        office_.post(path, {{std::string(id_field(kind)), holder->id},
                            {"rpm_limit", number(holder->limited)}});
    }

    Json number(bool limited) { return limited ? Json(rng_.between(1, 9)) : Json(); }

    void rotate() {
        NaiveKey* key = any_key();
        if (!key) return;
        const auto grace = rng_.between(0, 40);
        Json body = {{"key", key->text}};
        if (grace > 0) body["grace_period"] = concat(grace, "s");
        const std::string text = office_.post("/key/regenerate", body)["key"];
        model_.dead.push_back(key->old_text);
        if (grace == 0) model_.dead.push_back(key->text);
        key->old_text = grace > 0 ? key->text : "";
        key->old_until = office_.now + Duration::seconds(grace);
        key->text = text;
    }

    void erase() {
        const auto [holder, kind] = any_holder();
        if (NaiveKey* key = any_key(); key && rng_.chance(0.5)) {
            const std::string text = key->text;
            office_.post("/key/delete", {{"keys", {text}}});
            model_.erase_keys([&](const NaiveKey& other) { return other.text == text; });
        } else if (holder && kind != RecordKind::organisation) {
            const bool is_team = kind == RecordKind::team;
            const std::string id = holder->id;
            office_.post(is_team ? "/team/delete" : "/user/delete",
                         {{is_team ? "team_ids" : "user_ids", {id}}});
            model_.erase_keys(
                [&](const NaiveKey& other) { return (is_team ? other.team : other.user) == id; });
            std::erase_if(is_team ? model_.teams : model_.users,
                          [&](const NaiveHolder& other) { return other.id == id; });
        }
    }

    std::vector<std::string> scopes(const std::string& text) {
        std::vector<std::string> kinds;
        for (ScopeId id : office_.directory.scopes(*office_.caller(text), "m", "")) {
            const ScopeInfo& info = *office_.directory.describe(id);
            kinds.push_back(
                info.kind == ScopeKind::key ? "key" : concat(to_string(info.kind), " ", info.id));
        }
        return kinds;
    }

    Rng rng_;
    Office office_;
    Model model_;
    int made_ = 0;
};

TEST(Directory, identifies_and_counts_as_plain_lists_do) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        Play play(seed);
        for (int i = 0; i < 120; ++i) {
            play.step();
            play.compare();
            if (testing::Test::HasFatalFailure()) return;
        }
        EXPECT_TRUE(play.saw_much());
    }
}

}  // namespace
}  // namespace brigada
