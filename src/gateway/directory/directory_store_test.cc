#include "gateway/directory/directory_store.h"

#include <sqlite3.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "gateway/directory/office.h"
#include "gateway/directory/record_json.h"

namespace brigada {
namespace {

class DirectoryStoreTest : public testing::Test {
  protected:
    DirectoryStoreTest() {
        std::string name = (std::filesystem::temp_directory_path() / "brigada-XXXXXX").string();
        EXPECT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    ~DirectoryStoreTest() override { std::filesystem::remove_all(folder_); }

    Path file() const { return folder_ / "directory.db"; }
    auto open(std::string_view pepper = kPepper) {
        return DirectoryStore::open(file(), KeyHasher(pepper).pepper_mark());
    }
    static Directory directory_on(DirectoryStore& store) {
        Directory directory({.master_key = std::string(kMasterKey)}, KeyHasher(kPepper),
                            os_random(), &store);
        directory.restore(*store.load()).value();
        directory.check();
        return directory;
    }
    void execute(const char* sql) {
        sqlite3* database = nullptr;
        ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(database);
    }

    const WallTime now_ = WallTime::seconds(1'770'000'000);
    const Act act_{.actor = "test", .now = now_};
    Path folder_;
};

/// A record with a value in every field.
std::vector<Record> full_records(const KeyHasher& hasher) {
    const Allowance allowance{
        .limits = {.requests_per_minute = 1, .tokens_per_minute = 2, .concurrent = 3},
        .model_limits = {{"m", {.tokens_per_minute = 4}}},
        .max_budget = Money{5},
        .soft_budget = Money{4},
        .budget_duration = "30d",
        .more_budgets = {{.max = Money{6}, .duration = "1d"}, {.max = Money{7}}},
        .model_budgets = {{"m", {.max = Money{8}, .duration = "1h"}}},
        .increase = BudgetIncrease{.amount = Money{9}, .until = WallTime{10}},
        .showback = true};
    Holder holder{.id = "x",
                  .alias = "alias",
                  .allowance = allowance,
                  .budget_id = "x",
                  .models = {"a", "b/*"},
                  .aliases = {{"c", "d"}},
                  .priority = PriorityClass::batch,
                  .blocked = true,
                  .metadata = {{"deep", {{"list", {1, 2.5, "three", nullptr}}}}},
                  .tags = {"t"},
                  .created = WallTime{11},
                  .updated = WallTime{12},
                  .created_by = "e",
                  .updated_by = "f"};
    Organisation organisation{holder};
    User user{holder, "mail", "internal_user"};
    holder.budget_id = "";
    BudgetTemplate budget{holder};
    holder.budget_id = "x";
    Team team{holder, "x", {{"x", {.role = "admin", .allowance = allowance}}}, allowance};
    Key key{holder, hasher.hash("sk-1"), "sk-...last", WallTime{13}, "x", "x",
            "x",    hasher.hash("sk-0"), WallTime{14}};
    return {organisation, user, budget, team, key, EndUser{holder}};
}

TEST_F(DirectoryStoreTest, keeps_every_field_of_every_record) {
    const auto records = full_records(KeyHasher(kPepper));
    Changes changes;
    for (const Record& record : records) {
        EXPECT_EQ(*record_from(kind_of(record), to_json(record)), record)
            << dump_json(to_json(record));
        changes.push_back({.kind = kind_of(record), .id = "x", .after = to_json(record)});
    }
    ASSERT_TRUE((*open())->write(changes).ok());
    const auto store = *open();
    auto loaded = *store->load();
    std::ranges::sort(loaded, {}, kind_of);
    EXPECT_EQ(loaded, records);
    Directory directory = directory_on(*store);
    EXPECT_TRUE(directory.find<Team>("x")->members.contains("x"));
}

TEST_F(DirectoryStoreTest, remembers_keys_rotations_and_deletions_over_a_restart) {
    std::string kept, gone, rotated, old;
    {
        const auto store = *open();
        Directory directory = directory_on(*store);
        Team team;
        team.id = "t";
        ASSERT_TRUE(directory.create(team, act_).ok());
        Key draft;
        draft.team = "t";
        draft.allowance.limits.requests_per_minute = 7;
        kept = directory.create_key(draft, {}, act_)->text;
        const NewKey dead = *directory.create_key(draft, {}, act_);
        gone = dead.text;
        const NewKey first = *directory.create_key(draft, {}, act_);
        old = first.text;
        rotated = directory.rotate_key(*directory.find<Key>(first.id), {}, "1h", act_)->text;
        ASSERT_TRUE(directory.erase(RecordKind::key, {dead.id}, act_).ok());
    }
    const auto store = *open();
    Directory directory = directory_on(*store);
    EXPECT_EQ((*directory.identify(kept, now_))->team, "t");
    EXPECT_EQ((*directory.identify(old, now_))->key, (*directory.identify(rotated, now_))->key);
    EXPECT_EQ(directory.identify(gone, now_).error().type, "token_not_found_in_db");
    EXPECT_EQ(directory.identify(old, now_ + Duration::seconds(3'600)).error().type, "expired_key");
    std::ifstream bytes(file(), std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(bytes)), {});
    for (const std::string& text : {kept, gone, rotated, old})
        EXPECT_FALSE(all.contains(text)) << "no key is on the disk";
}

TEST_F(DirectoryStoreTest, refuses_a_newer_schema_and_another_pepper) {
    ASSERT_TRUE(open().ok());
    const auto other = open("another pepper");
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(other.error().code, Code::invalid_argument);
    EXPECT_TRUE(other.error().message.ends_with(
        "its keys were hashed under another pepper, so none would be recognised. Start with the "
        "pepper the store was made with."));
    execute("PRAGMA user_version = 99");
    const auto newer = open();
    ASSERT_FALSE(newer.ok());
    EXPECT_EQ(newer.error().code, Code::unsupported);
    EXPECT_TRUE(newer.error().message.contains(
        "schema version 99 was written by a newer brigada; this one reads up to 1."));
}

TEST_F(DirectoryStoreTest, refuses_what_contradicts_itself) {
    ASSERT_TRUE(open().ok());
    execute("INSERT INTO records VALUES ('key', 'k', '{\"id\":\"k\",\"team\":\"none\"}')");
    {
        const auto store = *open();
        Directory directory({}, KeyHasher(kPepper), os_random(), store.get());
        const auto restored = directory.restore(*store->load());
        EXPECT_EQ(restored.error().message, "key 'k': team_id: there is no team 'none'");
    }
    execute("UPDATE records SET record = '{\"id\":\"k\",\"hash\":\"00\"}'");
    EXPECT_EQ((*open())->load().error().code, Code::corrupt);
    execute("UPDATE records SET record = 'x'");
    EXPECT_EQ((*open())->load().error().code, Code::corrupt);
}

TEST_F(DirectoryStoreTest, changes_nothing_while_another_process_holds_the_file) {
    const auto store = *open();
    Directory directory = directory_on(*store);
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
    const auto made = directory.create_key({}, {}, act_);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, Code::unavailable) << made.error().message;
    EXPECT_TRUE(directory.all<Key>().empty());
    ASSERT_EQ(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
    EXPECT_TRUE(directory.create_key({}, {}, act_).ok());
}

}  // namespace
}  // namespace brigada
