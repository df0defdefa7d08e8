#include "gateway/directory/directory_store.h"

#include <sqlite3.h>

#include <filesystem>
#include <thread>

#include "gateway/directory/office.h"
#include "gateway/directory/postgres_directory.h"
#include "gateway/directory/record_json.h"
#include "gateway/directory/sqlite_directory.h"
#include "ledger/postgres_audit.h"
#include "ledger/test_folder.h"
#include "ledger/test_postgres.h"

namespace brigada {
namespace {

constexpr WallTime kNow = WallTime::seconds(1'770'000'000);
const Act kAct{.actor = "test", .now = kNow};

/// Where the records of one test live, and the SQL that spoils them.
class SqlitePlace {
  public:
    Result<std::unique_ptr<DirectoryStore>> open(std::string_view pepper = kPepper) {
        TRY(std::unique_ptr<DirectoryStore> store,
            SqliteDirectory::open(file(), KeyHasher(pepper).pepper_mark()));
        return store;
    }
    void run_sql(const std::string& sql) {
        sqlite3* database = nullptr;
        CHECK(sqlite3_open(file().c_str(), &database) == SQLITE_OK);
        CHECK(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK, sql);
        sqlite3_close(database);
    }
    std::string insertion(std::string_view id, std::string_view record) {
        return concat("INSERT INTO records VALUES ('key', '", id, "', '", record, "')");
    }
    std::string all_text() { return bytes_of(file()); }
    static constexpr const char* kNewer = "PRAGMA user_version = 99";

  private:
    Path file() const { return folder_.path() / "directory.db"; }
    const TestFolder folder_;
};

class PostgresPlace {
  public:
    Result<std::unique_ptr<DirectoryStore>> open(std::string_view pepper = kPepper) {
        auto store = std::make_unique<PostgresDirectory>(
            config_, std::string(KeyHasher(pepper).pepper_mark()));
        TRY(store->load());
        return std::unique_ptr<DirectoryStore>(std::move(store));
    }
    void run_sql(const std::string& sql) {
        TestPostgres::run_sql(config_, concat("SET search_path = brigada; ", sql).c_str());
    }
    std::string insertion(std::string_view id, std::string_view record) {
        return concat("INSERT INTO records VALUES ('key', '", id, "', '", record, "', 1)");
    }
    std::string all_text() {
        auto database = Postgres::connect(config_).value();
        return std::string(database
                               .run("SELECT string_agg(record, ' ') || "
                                    "(SELECT string_agg(line, ' ') FROM brigada.audit) "
                                    "FROM brigada.records")
                               ->text(0, 0));
    }
    static constexpr const char* kNewer =
        "UPDATE schema_versions SET version = 99 WHERE part = 'directory'";

    const PostgresConfig config_ = TestPostgres::shared().fresh_database();
};

/// A directory and its store, as one gateway has them.
struct Desk {
    explicit Desk(std::unique_ptr<DirectoryStore> kept)
        : store(std::move(kept)),
          directory({.master_key = std::string(kMasterKey)}, KeyHasher(kPepper), os_random()) {
        DirectoryNews state = *store->load();
        revision = state.revision;
        directory.restore(std::move(state.now)).value();
        directory.check();
    }

    /// Drafts, writes and absorbs what `work` does. False when others were quicker.
    Result<bool> change(const std::function<Result<Changes>()>& work) {
        Result<Changes> changes = Error{};
        directory.draft([&] { changes = work(); });
        if (!changes.ok()) return std::move(changes).error();
        TRY(const auto written, store->write(*changes, revision));
        if (!written) return false;
        take(news_of(*changes, *written));
        return true;
    }
    NewKey new_key(const Key& draft) {
        NewKey made;
        CHECK(*change([&]() -> Result<Changes> {
            TRY(made, directory.create_key(draft, {}, kAct));
            return made.changes;
        }));
        return made;
    }
    void catch_up() { take(*store->since(revision)); }
    void take(DirectoryNews news) {
        revision = news.revision;
        directory.absorb(std::move(news));
        directory.check();
    }

    std::unique_ptr<DirectoryStore> store;
    Directory directory;
    uint64_t revision = 0;
};

template <typename T>
class DirectoryStores : public testing::Test {
  protected:
    void SetUp() override {
        if constexpr (std::is_same_v<T, PostgresPlace>) NEEDS_POSTGRES();
    }
};
using Places = testing::Types<SqlitePlace, PostgresPlace>;
TYPED_TEST_SUITE(DirectoryStores, Places);

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

TYPED_TEST(DirectoryStores, keep_every_field_of_every_record) {
    TypeParam place;
    const auto records = full_records(KeyHasher(kPepper));
    Changes changes;
    for (const Record& record : records) {
        EXPECT_EQ(*record_from(kind_of(record), to_json(record)), record)
            << dump_json(to_json(record));
        changes.push_back({.kind = kind_of(record), .id = "x", .after = to_json(record)});
    }
    ASSERT_EQ(*(*place.open())->write(changes, 0), 1u);
    DirectoryNews loaded = *(*place.open())->load();
    EXPECT_EQ(loaded.revision, 1u);
    std::ranges::sort(loaded.now, {}, kind_of);
    EXPECT_EQ(loaded.now, records);
    const Desk desk(*place.open());
    EXPECT_TRUE(desk.directory.find<Team>("x")->members.contains("x"));
}

TYPED_TEST(DirectoryStores, remember_keys_rotations_and_deletions_over_a_restart) {
    TypeParam place;
    std::string kept, gone, rotated, old;
    {
        Desk desk(*place.open());
        Team team;
        team.id = "t";
        ASSERT_TRUE(*desk.change([&] { return desk.directory.create(team, kAct); }));
        Key draft;
        draft.team = "t";
        draft.allowance.limits.requests_per_minute = 7;
        kept = desk.new_key(draft).text;
        const NewKey dead = desk.new_key(draft), first = desk.new_key(draft);
        gone = dead.text;
        old = first.text;
        ASSERT_TRUE(*desk.change([&]() -> Result<Changes> {
            TRY(const NewKey made,
                desk.directory.rotate_key(*desk.directory.find<Key>(first.id), {}, "1h", kAct));
            rotated = made.text;
            return made.changes;
        }));
        ASSERT_TRUE(
            *desk.change([&] { return desk.directory.erase(RecordKind::key, {dead.id}, kAct); }));
        EXPECT_EQ(desk.revision, 6u);
    }
    Desk desk(*place.open());
    EXPECT_EQ(desk.revision, 6u);
    EXPECT_EQ((*desk.directory.identify(kept, kNow))->team, "t");
    EXPECT_EQ((*desk.directory.identify(old, kNow))->key,
              (*desk.directory.identify(rotated, kNow))->key);
    EXPECT_EQ(desk.directory.identify(gone, kNow).error().type, "token_not_found_in_db");
    EXPECT_EQ(desk.directory.identify(old, kNow + Duration::seconds(3'600)).error().type,
              "expired_key");
    const std::string all = place.all_text();
    for (const std::string& text : {kept, gone, rotated, old})
        EXPECT_FALSE(all.contains(text)) << "no key is on the disk";
}

TYPED_TEST(DirectoryStores, refuse_a_newer_schema_and_another_pepper) {
    TypeParam place;
    ASSERT_TRUE(place.open().ok());
    const auto other = place.open("another pepper");
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(other.error().code, Code::invalid_argument);
    EXPECT_TRUE(other.error().message.contains(
        "its keys were hashed under another pepper, so none would be recognised."));
    place.run_sql(TypeParam::kNewer);
    const auto newer = place.open();
    ASSERT_FALSE(newer.ok());
    EXPECT_EQ(newer.error().code, Code::unsupported);
    EXPECT_TRUE(newer.error().message.contains("version 99")) << newer.error().message;
}

TYPED_TEST(DirectoryStores, refuse_what_contradicts_itself) {
    TypeParam place;
    ASSERT_TRUE(place.open().ok());
    place.run_sql(place.insertion("k", R"({"id":"k","team":"none"})"));
    {
        const auto store = *place.open();
        Directory directory({}, KeyHasher(kPepper), os_random());
        const auto restored = directory.restore(store->load()->now);
        EXPECT_EQ(restored.error().message, "key 'k': team_id: there is no team 'none'");
    }
    for (const char* record : {R"({"id":"k","hash":"00"})", R"({"id":"other"})", "x"}) {
        place.run_sql(concat("UPDATE records SET record = '", record, "'"));
        const auto store = place.open();
        EXPECT_EQ(store.ok() ? (*store)->load().error().code : store.error().code, Code::corrupt);
    }
}

TEST(SqliteDirectory, changes_nothing_while_another_process_holds_the_file) {
    const TestFolder folder;
    const Path file = folder.path() / "directory.db";
    Desk desk(*SqliteDirectory::open(file, KeyHasher(kPepper).pepper_mark()));
    const auto make_key = [&]() -> Result<Changes> {
        TRY(const NewKey made, desk.directory.create_key({}, {}, kAct));
        return made.changes;
    };
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
    const auto made = desk.change(make_key);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, Code::unavailable) << made.error().message;
    EXPECT_TRUE(desk.directory.all<Key>().empty());
    ASSERT_EQ(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
    EXPECT_TRUE(*desk.change(make_key));
}

// --- several gateways ------------------------------------------------------------------------

class SharedDirectory : public testing::Test {
  protected:
    void SetUp() override { NEEDS_POSTGRES(); }

    static Team team(const std::string& id, const std::string& alias) {
        Team out;
        out.id = id;
        out.alias = alias;
        return out;
    }
};

TEST_F(SharedDirectory, nobody_overwrites_what_he_has_not_seen) {
    PostgresPlace place;
    Desk one(*place.open()), other(*place.open());
    ASSERT_TRUE(*one.change([&] { return one.directory.create(team("t", "red"), kAct); }));
    const auto rename = [&] { return other.directory.update(team("t", "blue"), kAct); };
    EXPECT_EQ(other.change(rename).error().code, Code::not_found) << "not seen yet";
    const auto make = [&] { return other.directory.create(team("u", "blue"), kAct); };
    EXPECT_FALSE(*other.change(make));
    EXPECT_EQ(other.directory.find<Team>("u"), nullptr);
    other.catch_up();
    EXPECT_EQ(other.directory.find<Team>("t")->alias, "red");
    EXPECT_TRUE(*other.change(make));
    EXPECT_EQ(one.change([&] { return one.directory.create(team("v", "blue"), kAct); }).value(),
              false);
    one.catch_up();
    EXPECT_FALSE(one.change([&] { return one.directory.create(team("v", "blue"), kAct); }).ok())
        << "judged again, it breaks a rule";
}

TEST_F(SharedDirectory, a_name_may_have_gone_from_one_to_another_meanwhile) {
    PostgresPlace place;
    Desk one(*place.open()), other(*place.open());
    const auto put = [&](const Team& record) {
        return *one.change(
            [&] { return one.directory.apply({Directory::put("x", record)}, kAct); });
    };
    ASSERT_TRUE(put(team("a", "red")));
    ASSERT_TRUE(put(team("b", "blue")));
    other.catch_up();
    ASSERT_TRUE(put(team("a", "grey")));
    ASSERT_TRUE(put(team("b", "red")));
    ASSERT_TRUE(put(team("a", "blue")));
    ASSERT_TRUE(put(team("c", "grey")));
    ASSERT_TRUE(*one.change([&] { return one.directory.erase(RecordKind::team, {"c"}, kAct); }));
    other.catch_up();
    EXPECT_EQ(other.directory.named<Team>("red")->id, "b");
    EXPECT_EQ(other.directory.named<Team>("blue")->id, "a");
    EXPECT_EQ(other.directory.named<Team>("grey"), nullptr);
}

TEST_F(SharedDirectory, two_that_write_at_once_lose_nothing) {
    PostgresPlace place;
    constexpr int kEach = 30;
    const auto administer = [&](const std::string& name) {
        Desk desk(*place.open());
        for (int i = 0; i < kEach;) {
            const std::string id = concat(name, i);
            const bool done =
                *desk.change([&] { return desk.directory.create(team(id, id), kAct); });
            done ? static_cast<void>(++i) : desk.catch_up();
        }
    };
    {
        std::jthread a([&] { administer("a"); }), b([&] { administer("b"); });
    }
    const Desk desk(*place.open());
    EXPECT_EQ(desk.directory.all<Team>().size(), 2u * kEach);
    EXPECT_EQ(desk.revision, 2u * kEach);
    EXPECT_EQ(verify_audit(place.config_)->seq, 2u * kEach);
}

TEST_F(SharedDirectory, the_audit_log_tells_of_what_happened_and_of_nothing_else) {
    PostgresPlace place;
    Desk one(*place.open()), other(*place.open());
    ASSERT_TRUE(*one.change([&] { return one.directory.create(team("t", "red"), kAct); }));
    EXPECT_FALSE(*other.change([&] { return other.directory.create(team("u", "u"), kAct); }));
    EXPECT_EQ(verify_audit(place.config_)->seq, 1u);
    auto database = Postgres::connect(place.config_).value();
    for (const char* sql : {"UPDATE brigada.audit SET line = ''", "DELETE FROM brigada.audit",
                            "TRUNCATE brigada.audit"})
        EXPECT_THAT(database.run_script(sql).error().message,
                    testing::HasSubstr("brigada.audit is append-only"));
    place.run_sql("ALTER TABLE audit DISABLE TRIGGER USER; DELETE FROM audit");
    EXPECT_THAT(verify_audit(place.config_).error().message,
                testing::HasSubstr("the chain ends at event 0, and 1 were written"));
    place.run_sql("INSERT INTO audit VALUES (1, '{}')");
    EXPECT_THAT(verify_audit(place.config_).error().message,
                testing::HasSubstr("the chain breaks at event 1"));
}

TEST_F(SharedDirectory, an_older_state_of_the_database_is_taken_whole) {
    PostgresPlace place;
    Desk desk(*place.open());
    ASSERT_TRUE(*desk.change([&] { return desk.directory.create(team("t", "red"), kAct); }));
    ASSERT_TRUE(*desk.change([&] { return desk.directory.create(team("u", "blue"), kAct); }));
    place.run_sql("DELETE FROM records WHERE id = 'u'; UPDATE directory SET revision = 1");
    desk.catch_up();
    EXPECT_EQ(desk.revision, 1u);
    EXPECT_EQ(desk.directory.find<Team>("u"), nullptr);
    EXPECT_NE(desk.directory.find<Team>("t"), nullptr);
}

}  // namespace
}  // namespace brigada
