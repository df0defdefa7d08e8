// A directory that follows another's changes from afar, some at a time, is the same directory.
#include "gateway/directory/office.h"
#include "gateway/directory/record_json.h"
#include "gateway/directory/record_kinds.h"

namespace brigada {
namespace {

std::string everything(const Directory& directory) {
    std::string out;
    for (const RecordKind kind : kRecordKinds)
        with_type_of(kind, [&]<typename T>(std::type_identity<T>) {
            for (const auto& [id, record] : directory.all<T>())
                out += concat(to_string(kind), " ", dump_json(to_json(Record(record))), "\n");
        });
    return out;
}

/// Any administrator's call: few names, so that they are given, taken and given again.
void administer(Office& office, Rng& rng, std::vector<std::string>& keys) {
    const auto some = [&](const char* of) { return concat(of, rng.below(4)); };
    const auto key = [&] { return keys.empty() ? "sk-none" : keys[rng.below(keys.size())]; };
    switch (rng.below(9)) {
        case 0:
            office.call("POST", "/organization/new", {{"organization_id", some("o")}});
            return;
        case 1:
            office.call("POST", "/team/new", {{"team_id", some("t")}, {"team_alias", some("n")}});
            return;
        case 2:
            office.call("POST", "/team/update",
                        {{"team_id", some("t")}, {"team_alias", some("n")}, {"rpm_limit", 7}});
            return;
        case 3:
            office.call("POST", "/team/delete", {{"team_ids", {some("t")}}});
            return;
        case 4:
            office.call("POST", "/key/block", {{"key", key()}});
            return;
        case 5:
            office.call("POST", "/key/delete", {{"keys", {key()}}});
            return;
        case 6:
            office.call("POST", "/customer/block", {{"user_ids", {some("c")}}});
            return;
        default:
            break;
    }
    const bool rotates = rng.chance(0.3);
    const ManagementReply made =
        rotates
            ? office.call("POST", concat("/key/", key(), "/regenerate"), {{"grace_period", "1h"}})
            : office.call("POST", "/key/generate",
                          {{"team_id", some("t")},
                           {"user_id", some("u")},
                           {"key_alias", some("k")},
                           {"rpm_limit", 5}});
    if (made.status == 200) keys.push_back(made.body["key"]);
}

TEST(Directory, is_the_same_when_it_follows_another) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        Office leader, follower;
        std::vector<std::string> keys;
        size_t known = 0;
        for (int i = 0; i < 150; ++i) {
            administer(leader, rng, keys);
            if (rng.chance(0.7)) continue;
            const Changes& all = leader.store.written;
            DirectoryNews news = news_of({all.begin() + static_cast<long>(known), all.end()}, 0);
            if (rng.chance(0.2)) {  // or all there is
                news = news_of(all, 0);
                news.gone.clear();
                news.is_whole = true;
            }
            known = all.size();
            follower.directory.absorb(std::move(news));
            follower.directory.check();
            ASSERT_EQ(everything(follower.directory), everything(leader.directory));
            for (const std::string& key : keys) {
                ASSERT_EQ(follower.denial(key), leader.denial(key));
                if (leader.caller(key)) ASSERT_EQ(follower.scopes(key), leader.scopes(key));
            }
        }
    }
}

TEST(Directory, tells_of_the_limits_that_came_from_afar) {
    Office leader, follower;
    const std::string key = leader.new_key({{"rpm_limit", 5}});
    follower.directory.absorb(news_of(leader.store.written, 0));
    const ScopeId scope = follower.directory.scopes(*follower.caller(key), "m", "").at(0);
    follower.directory.take_stale_scopes();
    leader.post("/key/update", {{"key", key}, {"rpm_limit", 2}});
    follower.directory.absorb(news_of(leader.store.written, 0));
    EXPECT_THAT(follower.directory.take_stale_scopes(), testing::Contains(scope));
    EXPECT_EQ(follower.directory.limits_of(scope).requests_per_minute, 2);
    leader.post("/key/delete", {{"keys", {key}}});
    follower.directory.absorb(news_of(leader.store.written, 0));
    EXPECT_EQ(follower.directory.describe(scope), nullptr);
    EXPECT_THAT(follower.directory.take_stale_scopes(), testing::Contains(scope));
}

TEST(Directory, is_as_it_was_after_a_draft) {
    Office office;
    const std::string key = office.new_key({{"rpm_limit", 5}});
    const std::string before = everything(office.directory);
    const CallerRef caller = office.caller(key);
    office.directory.draft([&] {
        const Act act{.actor = "test", .now = office.now};
        ASSERT_TRUE(office.directory.create_key({}, std::string("sk-another-key-0001"), act).ok());
        ASSERT_TRUE(
            office.directory.erase(RecordKind::key, {office.directory.find_key(key)->id}, act)
                .ok());
        EXPECT_EQ(office.directory.find_key(key), nullptr) << "within, later edits see it";
    });
    office.directory.check();
    EXPECT_EQ(everything(office.directory), before);
    EXPECT_EQ(office.caller(key)->key, caller->key);
    EXPECT_EQ(office.denial("sk-another-key-0001"), "token_not_found_in_db");
}

}  // namespace
}  // namespace brigada
