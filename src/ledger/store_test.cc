#include "ledger/store.h"

#include "ledger/test_folder.h"

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

Store open_store(const Path& file) {
    auto store = Store::open(file);
    CHECK(store.ok(), store.error().message);
    return std::move(store).value();
}

void run_sql(const Path& file, const char* sql) {
    CHECK(Sqlite::open(file, Duration::seconds(5)).value().run(sql).ok(), sql);
}

/// Adding up every call, one by one.
std::map<std::string, SpendSum> naive_spend(const std::vector<CallRecord>& calls,
                                            const SpendQuery& query) {
    std::map<std::string, SpendSum> out;
    for (const CallRecord& call : calls) {
        const std::string holder(holder_of(call, query.by));
        if (call.ended < query.span.from || call.ended >= query.span.to) continue;
        if (query.holder && *query.holder != holder) continue;
        if (query.model && *query.model != call.model_asked) continue;
        out[holder].add(spend_of(call));
    }
    return out;
}

TEST(Store, keeps_a_call_once_however_often_it_comes) {
    const TestFolder folder;
    const Path file = folder.path() / "calls.db";
    {
        Store store = open_store(file);
        EXPECT_EQ(store.moved().value(), 0u);
        EXPECT_EQ(store.insert(agent_calls(0, 10).stored(), 10).value(), 10u);
        EXPECT_EQ(store.insert(agent_calls(5, 15).stored(), 15).value(), 5u);
        EXPECT_EQ(store.insert(agent_calls(0, 15).stored(), 15).value(), 0u);
    }
    Store store = open_store(file);
    EXPECT_EQ(store.moved().value(), 15u);
    EXPECT_EQ(store.count().value(), 15);
    EXPECT_TRUE(store.contains(agent_call(3).id).value());
    EXPECT_FALSE(store.contains({1, 1}).value());
    EXPECT_TRUE(store.verify().ok());
}

TEST(Store, gives_calls_back_whole_and_in_the_order_they_ended) {
    const TestFolder folder;
    Store store = open_store(folder.path() / "calls.db");
    Rng rng(4);
    Bundle bundle;
    for (int i = 0; i < 200; ++i)
        bundle.add(random_call(rng));
    ASSERT_TRUE(store.insert(bundle.stored(), 200).ok());
    std::vector<CallRecord> expected = bundle.calls(), got;
    std::ranges::sort(expected, {}, [](const CallRecord& c) { return std::pair(c.ended, c.id); });
    std::erase_if(expected, [](const CallRecord& c) { return c.ended == CallSpan{}.to; });
    ASSERT_TRUE(store
                    .each_call({},
                               [&](const CallRecord& call) -> Result<void> {
                                   got.push_back(call);
                                   return {};
                               })
                    .ok());
    EXPECT_EQ(got, expected);
    EXPECT_TRUE(store.verify().ok());
}

TEST(Store, adds_up_what_adding_one_by_one_adds_up) {
    const TestFolder folder;
    Store store = open_store(folder.path() / "calls.db");
    Rng rng(5);
    Bundle bundle;
    const WallTime day = WallTime::seconds(1'790'000'000 / 86'400 * 86'400);
    const auto moment = [&] {  // often on the hour, which is where cutting may go wrong
        const int64_t hour = rng.between(-30, 60);
        return day +
               Duration::seconds(3'600 * hour + (rng.chance(0.5) ? 0 : rng.between(0, 3'599)));
    };
    for (uint64_t i = 0; i < 500; ++i) {
        CallRecord call = agent_call(i);
        call.ended = moment();
        bundle.add(call);
    }
    ASSERT_TRUE(store.insert(bundle.stored(), 500).ok());
    for (int i = 0; i < 500; ++i) {
        SCOPED_TRACE(i);
        SpendQuery query{.by = kSpendKinds[rng.below(kSpendKinds.size())]};
        if (rng.chance(0.9)) query.span.from = moment();
        if (rng.chance(0.9)) query.span.to = moment();
        if (rng.chance(0.3)) query.model = "coder-small";
        const std::string some(holder_of(agent_call(rng.below(10)), query.by));
        if (rng.chance(0.5)) query.holder = some;
        std::map<std::string, SpendSum> got;
        for (const SpendRow& row : store.spend(query).value())
            got[row.holder] = row.sum;
        ASSERT_EQ(got, naive_spend(bundle.calls(), query));
    }
}

TEST(Store, refuses_the_schema_of_a_newer_build) {
    const TestFolder folder;
    const Path file = folder.path() / "calls.db";
    open_store(file);
    run_sql(file, "PRAGMA user_version = 7");
    const auto store = Store::open(file);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code, Code::unsupported);
    EXPECT_EQ(store.error().message,
              concat(file.string(),
                     ": its schema has version 7; this build knows up to 1. Start "
                     "the newer build, or use another file"));
    EXPECT_EQ(Store::open_read_only(file).error().code, Code::unsupported);
}

TEST(Store, refuses_what_is_no_store) {
    const TestFolder folder;
    const Path file = folder.path() / "calls.db";
    EXPECT_EQ(Store::open_read_only(file).error().code, Code::not_found);
    put_bytes(file, std::string(5'000, 'x'));
    EXPECT_EQ(Store::open(file).error().code, Code::corrupt);
    EXPECT_EQ(Store::open(folder.path() / "none" / "calls.db").error().code, Code::io);
}

TEST(Store, takes_nothing_while_another_holds_the_lock) {
    const TestFolder folder;
    const Path file = folder.path() / "calls.db";
    Store store = open_store(file);
    Sqlite other = Sqlite::open(file, Duration()).value();
    {
        const auto held = SqliteTransaction::begin(other);
        ASSERT_TRUE(held.ok());
        EXPECT_EQ(store.insert(agent_calls(0, 3).stored(), 3).error().code, Code::unavailable);
        EXPECT_EQ(store.count().value(), 0);
    }
    EXPECT_EQ(store.insert(agent_calls(0, 3).stored(), 3).value(), 3u);
}

TEST(Store, verify_finds_what_somebody_changed) {
    const struct {
        const char* sql;
        const char* words;
    } kCases[] = {
        {"UPDATE calls SET cost = cost + 1 WHERE team = 'red'", "does not agree with its record"},
        {"UPDATE calls SET team = 'blue'", "does not agree with its record"},
        {"UPDATE calls SET record = x'0100'", "does not agree with its record"},
        {"DELETE FROM calls WHERE team = 'red'", "is not that of its calls"},
        {"UPDATE spend SET cost = 0 WHERE kind = 3", "the spend of key 'key-"},
        {"DELETE FROM spend WHERE kind = 2", "the spend lacks"},
    };
    for (const auto& each : kCases) {
        SCOPED_TRACE(each.sql);
        const TestFolder folder;
        const Path file = folder.path() / "calls.db";
        Store store = open_store(file);
        ASSERT_TRUE(store.insert(agent_calls(0, 20).stored(), 20).ok());
        ASSERT_TRUE(store.verify().ok());
        run_sql(file, each.sql);
        const auto verified = store.verify();
        ASSERT_FALSE(verified.ok());
        EXPECT_EQ(verified.error().code, Code::corrupt);
        EXPECT_THAT(verified.error().message, HasSubstr(each.words));
    }
}

}  // namespace
}  // namespace brigada
