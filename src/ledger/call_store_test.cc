#include "ledger/call_store.h"

#include "ledger/postgres_store.h"
#include "ledger/sqlite_store.h"
#include "ledger/test_folder.h"
#include "ledger/test_postgres.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

/// Calls with their bytes, as the mover brings them.
class Bundle {
  public:
    void add(const CallRecord& call) { bytes_.emplace_back(encode(call)), calls_.push_back(call); }

    std::vector<StoredCall> stored() const {
        std::vector<StoredCall> out;
        for (size_t i = 0; i < calls_.size(); ++i)
            out.push_back({calls_[i], bytes_[i]});
        return out;
    }
    const std::vector<CallRecord>& calls() const { return calls_; }

  private:
    std::vector<std::string> bytes_;
    std::vector<CallRecord> calls_;
};

Bundle agent_calls(uint64_t from, uint64_t to) {
    Bundle bundle;
    for (uint64_t i = from; i < to; ++i)
        bundle.add(agent_call(i));
    return bundle;
}

/// agent_call, by end users of tenants of every kind.
CallRecord call_of_some_tenant(uint64_t number) {
    CallRecord call = agent_call(number);
    if (number % 2) call.team = "";
    if (number % 4 == 1) call.organisation = "";
    if (number % 8 == 1) call.user = "";
    if (number % 3) call.end_user = number % 3 == 1 ? "ann" : "b\\\xff";  // no UTF-8
    return call;
}

/// Where the calls of one test live, and the SQL that spoils them.
class Place {
  public:
    virtual ~Place() = default;
    virtual std::unique_ptr<CallStore> open() = 0;
    virtual void run_sql(std::string sql) = 0;
};

class SqlitePlace : public Place {
  public:
    static constexpr const char* kFirstVersion =
        "ALTER TABLE log DROP COLUMN kept_from; PRAGMA user_version = 1";

    std::unique_ptr<CallStore> open() override {
        return SqliteStore::open(folder_.path() / "calls.db").value();
    }
    void run_sql(std::string sql) override {
        auto database = Sqlite::open(folder_.path() / "calls.db", Duration::seconds(5));
        CHECK(database->run(sql.c_str()).ok(), sql);
    }

  private:
    const TestFolder folder_;
};

class PostgresPlace : public Place {
  public:
    static constexpr const char* kFirstVersion =
        "DROP TABLE kept_calls; UPDATE schema_versions SET version = 1 WHERE part = 'ledger'";

    std::unique_ptr<CallStore> open() override {
        return PostgresStore::for_writing(config_, "test");
    }
    void run_sql(std::string sql) override {
        TestPostgres::run_sql(config_, concat("SET search_path = brigada; ", sql).c_str());
    }

  private:
    const PostgresConfig config_ = TestPostgres::shared().fresh_database();
};

template <typename T>
class CallStores : public testing::Test {
  protected:
    void SetUp() override {
        if constexpr (std::is_same_v<T, PostgresPlace>) NEEDS_POSTGRES();
    }
};
using Places = testing::Types<SqlitePlace, PostgresPlace>;
TYPED_TEST_SUITE(CallStores, Places);

/// Adding up every call, one by one.
std::map<std::string, SpendSum> naive_spend(const std::vector<CallRecord>& calls,
                                            const SpendQuery& query) {
    std::map<std::string, SpendSum> out;
    for (const CallRecord& call : calls) {
        const std::string holder = holder_of(call, query.by);
        if (call.ended < query.span.from || call.ended >= query.span.to) continue;
        if (query.holder && *query.holder != holder) continue;
        if (query.model && *query.model != call.model_asked) continue;
        out[holder].add(spend_of(call));
    }
    return out;
}

TYPED_TEST(CallStores, keep_a_call_once_however_often_it_comes) {
    TypeParam place;
    {
        const auto store = place.open();
        EXPECT_EQ(store->moved().value().value_or(0), 0u);
        EXPECT_EQ(store->insert(agent_calls(0, 10).stored(), 10).value(), 10u);
        EXPECT_EQ(store->insert(agent_calls(5, 15).stored(), 15).value(), 5u);
        EXPECT_EQ(store->insert(agent_calls(0, 15).stored(), 15).value(), 0u);
    }
    const auto store = place.open();
    EXPECT_EQ(store->moved().value(), 15u);
    EXPECT_EQ(store->count().value(), 15);
    EXPECT_TRUE(store->contains(agent_call(3).id).value());
    EXPECT_FALSE(store->contains({1, 1}).value());
    EXPECT_TRUE(store->verify().ok());
}

TYPED_TEST(CallStores, give_calls_back_whole_and_in_the_order_they_ended) {
    TypeParam place;
    const auto store = place.open();
    Rng rng(4);
    Bundle bundle;
    for (int i = 0; i < 200; ++i)
        bundle.add(random_call(rng));
    ASSERT_TRUE(store->insert(bundle.stored(), 200).ok());
    std::vector<CallRecord> expected = bundle.calls(), got;
    std::ranges::sort(expected, {}, [](const CallRecord& c) { return std::pair(c.ended, c.id); });
    std::erase_if(expected, [](const CallRecord& c) { return c.ended == CallSpan{}.to; });
    ASSERT_TRUE(store
                    ->each_call({},
                                [&](const CallRecord& call) -> Result<void> {
                                    got.push_back(call);
                                    return {};
                                })
                    .ok());
    EXPECT_EQ(got, expected);
    EXPECT_TRUE(store->verify().ok());
}

TYPED_TEST(CallStores, add_up_what_adding_one_by_one_adds_up) {
    TypeParam place;
    const auto store = place.open();
    Rng rng(5);
    Bundle bundle;
    const WallTime day = WallTime::seconds(1'790'000'000 / 86'400 * 86'400);
    const auto moment = [&] {  // often on the hour, which is where cutting may go wrong
        const int64_t hour = rng.between(-30, 60);
        return day +
               Duration::seconds(3'600 * hour + (rng.chance(0.5) ? 0 : rng.between(0, 3'599)));
    };
    for (uint64_t i = 0; i < 500; ++i) {
        CallRecord call = call_of_some_tenant(i);
        call.ended = moment();
        bundle.add(call);
    }
    ASSERT_TRUE(store->insert(bundle.stored(), 500).ok());
    for (int i = 0; i < 500; ++i) {
        SCOPED_TRACE(i);
        SpendQuery query{.by = kSpendKinds[rng.below(kSpendKinds.size())]};
        if (rng.chance(0.9)) query.span.from = moment();
        if (rng.chance(0.9)) query.span.to = moment();
        if (rng.chance(0.3)) query.model = "coder-small";
        const std::string some = holder_of(call_of_some_tenant(rng.below(24)), query.by);
        if (rng.chance(0.5)) query.holder = some;
        std::map<std::string, SpendSum> got;
        for (const SpendRow& row : store->spend(query).value())
            got[row.holder] = row.sum;
        ASSERT_EQ(got, naive_spend(bundle.calls(), query));
    }
}

TYPED_TEST(CallStores, forget_old_calls_and_keep_their_sums) {
    TypeParam place;
    const auto store = place.open();
    constexpr int64_t kHour = 500'000;
    Bundle bundle;
    for (uint64_t i = 0; i < 60; ++i) {  // one every ten minutes, beginning on the hour
        CallRecord call = call_of_some_tenant(i);
        call.ended = {kHour * kHourNs + static_cast<int64_t>(i) * kHourNs / 6};
        bundle.add(call);
    }
    ASSERT_TRUE(store->insert(bundle.stored(), 60).ok());
    EXPECT_EQ(store->forget(kHour + 4, 20).value(), 20u);
    EXPECT_EQ(store->forget(kHour + 4, 20).value(), 4u);
    EXPECT_EQ(store->forget(kHour + 4, 20).value(), 0u);
    EXPECT_EQ(store->forget(kHour + 1, 20).value(), 0u) << "never back";
    EXPECT_EQ(store->first_kept_hour().value(), kHour + 4);
    EXPECT_EQ(store->count().value(), 36);
    EXPECT_FALSE(store->contains(bundle.calls()[23].id).value());
    EXPECT_TRUE(store->contains(bundle.calls()[24].id).value());
    const auto spent = [&](CallSpan span) {
        std::map<std::string, SpendSum> got;
        for (const SpendRow& row : store->spend({.by = SpendBy::team, .span = span}).value())
            got[row.holder] = row.sum;
        return got;
    };
    const auto at = [](double hours) {
        return WallTime{kHour * kHourNs + static_cast<int64_t>(hours * double(kHourNs))};
    };
    for (const auto& [asked, counted] : {std::pair(CallSpan{}, CallSpan{}),
                                         {{at(1.5), at(6.5)}, {at(1), at(6.5)}},
                                         {{at(1), at(2.5)}, {at(1), at(3)}},
                                         {{at(2.25), at(2.5)}, {at(2), at(3)}},
                                         {{at(4.5), at(5.25)}, {at(4.5), at(5.25)}}})
        EXPECT_EQ(spent(asked),
                  naive_spend(bundle.calls(), {.by = SpendBy::team, .span = counted}));
    Bundle late;  // from a gateway that was away
    for (const double hours : {2.5, 9.5}) {
        CallRecord call = call_of_some_tenant(99 + static_cast<uint64_t>(hours));
        call.ended = at(hours);
        late.add(call);
    }
    EXPECT_EQ(store->insert(late.stored(), 62).value(), 2u);
    EXPECT_EQ(store->forget(kHour + 4, 20).value(), 1u);
    const auto verified = store->verify();
    EXPECT_TRUE(verified.ok()) << verified.error().message;
    place.run_sql("DELETE FROM calls WHERE ended = (SELECT max(ended) FROM calls)");
    EXPECT_FALSE(store->verify().ok()) << "what is kept is still proved";
}

TYPED_TEST(CallStores, find_what_somebody_changed) {
    const struct {
        const char* sql;
        const char* words;
    } kCases[] = {
        {"UPDATE calls SET cost = cost + 1 WHERE team = 'red'", "does not agree with its record"},
        {"UPDATE calls SET team = 'blue'", "does not agree with its record"},
        {"UPDATE calls SET record = id", "does not agree with its record"},
        {"DELETE FROM calls WHERE team = 'red'", "is not that of its calls"},
        {"UPDATE spend SET cost = 0 WHERE kind = 3", "the spend of key 'key-"},
        {"DELETE FROM spend WHERE kind = 2", "the spend lacks"},
        {"UPDATE spend SET calls = 0 WHERE kind = 6", "the spend of member 'blue\x1fuser-"},
    };
    for (const auto& each : kCases) {
        SCOPED_TRACE(each.sql);
        TypeParam place;
        const auto store = place.open();
        ASSERT_TRUE(store->insert(agent_calls(0, 20).stored(), 20).ok());
        ASSERT_TRUE(store->verify().ok());
        place.run_sql(each.sql);
        const auto verified = store->verify();
        ASSERT_FALSE(verified.ok());
        EXPECT_EQ(verified.error().code, Code::corrupt);
        EXPECT_THAT(verified.error().message, HasSubstr(each.words));
    }
}

/// Version 1 had no sums of members, and none of end users by tenant.
TYPED_TEST(CallStores, bring_a_store_of_the_first_version_up_to_date) {
    TypeParam place;
    Bundle bundle;
    for (uint64_t i = 0; i < 200; ++i) {
        CallRecord call = call_of_some_tenant(i);
        call.ended = WallTime::seconds(static_cast<int64_t>(i) * 900 - 90'000);  // before 1970, too
        bundle.add(call);
    }
    ASSERT_TRUE(place.open()->insert(bundle.stored(), 200).ok());
    place.run_sql("DROP VIEW held_calls; DELETE FROM spend WHERE kind > 5");
    place.run_sql(TypeParam::kFirstVersion);
    const auto store = place.open();
    EXPECT_EQ(store->moved().value(), 200u);
    const auto verified = store->verify();
    EXPECT_TRUE(verified.ok()) << verified.error().message;
}

TEST(SqliteStore, refuses_the_schema_of_a_newer_build) {
    const TestFolder folder;
    const Path file = folder.path() / "calls.db";
    ASSERT_TRUE(SqliteStore::open(file).ok());
    ASSERT_TRUE(Sqlite::open(file, Duration())->run("PRAGMA user_version = 7").ok());
    const auto store = SqliteStore::open(file);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code, Code::unsupported);
    EXPECT_EQ(store.error().message,
              concat(file.string(),
                     ": its schema has version 7; this build knows up to 3. Start "
                     "the newer build, or use another file"));
    EXPECT_EQ(SqliteStore::open_read_only(file).error().code, Code::unsupported);
}

TEST(SqliteStore, refuses_what_is_no_store) {
    const TestFolder folder;
    const Path file = folder.path() / "calls.db";
    EXPECT_EQ(SqliteStore::open_read_only(file).error().code, Code::not_found);
    put_bytes(file, std::string(5'000, 'x'));
    EXPECT_EQ(SqliteStore::open(file).error().code, Code::corrupt);
    EXPECT_EQ(SqliteStore::open(folder.path() / "none" / "calls.db").error().code, Code::io);
}

TEST(SqliteStore, takes_nothing_while_another_holds_the_lock) {
    const TestFolder folder;
    const Path file = folder.path() / "calls.db";
    const auto store = SqliteStore::open(file).value();
    Sqlite other = Sqlite::open(file, Duration()).value();
    {
        const auto held = SqliteTransaction::begin(other);
        ASSERT_TRUE(held.ok());
        EXPECT_EQ(store->insert(agent_calls(0, 3).stored(), 3).error().code, Code::unavailable);
        EXPECT_EQ(store->count().value(), 0);
    }
    EXPECT_EQ(store->insert(agent_calls(0, 3).stored(), 3).value(), 3u);
}

}  // namespace
}  // namespace brigada
