#include "gateway/hierarchy.h"

#include <gmock/gmock.h>
#include <poll.h>

#include <future>

#include "gateway/directory/office.h"
#include "ledger/test_folder.h"
#include "ledger/test_postgres.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

class HierarchyTest : public testing::Test {
  protected:
    void SetUp() override {
        NEEDS_POSTGRES();
        config_ = TestPostgres::shared().fresh_database();
        config_.patience = config_.connect_patience = Duration::seconds(2);
    }
    void TearDown() override { loop_.stop(); }

    Result<std::unique_ptr<Hierarchy>> open(const TestFolder& folder) {
        return Hierarchy::open({.folder = folder.path(),
                                .pepper = std::string(kPepper),
                                .postgres = config_,
                                .directory = {.master_key = std::string(kMasterKey)}},
                               loop_);
    }

    int make_team(Hierarchy& hierarchy, const std::string& id) {
        std::promise<int> done;
        EXPECT_TRUE(loop_.spawn(make(hierarchy, id, done)));
        return done.get_future().get();
    }

    bool has_team(Hierarchy& hierarchy, const std::string& id) {
        bool found = false;
        EXPECT_TRUE(loop_.run([&] { found = hierarchy.directory().find<Team>(id) != nullptr; }));
        return found;
    }

    static bool eventually(const std::function<bool()>& question) {
        const Instant give_up = Clock().now() + Duration::seconds(60);
        while (!question()) {
            if (Clock().now() > give_up) return false;
            ::poll(nullptr, 0, 5);
        }
        return true;
    }

    Loop loop_{"test"};
    PostgresConfig config_;

  private:
    static Task<void> make(Hierarchy& hierarchy, std::string id, std::promise<int>& done) {
        ManagementCall call{.method = "POST",
                            .path = "/team/new",
                            .body = {{"team_id", id}},
                            .caller = *hierarchy.directory().identify(kMasterKey, {}),
                            .now = WallTime::seconds(1'770'000'000)};
        const ManagementReply reply = co_await hierarchy.administration().handle(std::move(call));
        done.set_value(reply.status);
    }
};

TEST_F(HierarchyTest, what_one_gateway_changes_another_learns) {
    const TestFolder red, blue;
    const auto one = *open(red), other = *open(blue);
    EXPECT_EQ(make_team(*one, "t"), 200);
    EXPECT_TRUE(has_team(*one, "t"));
    EXPECT_TRUE(eventually([&] { return has_team(*other, "t"); }));
    EXPECT_EQ(make_team(*other, "t"), 400);
    for (const auto* each : {&one, &other})
        (*each)->stop();
}

TEST_F(HierarchyTest, it_looks_by_itself_where_nobody_notifies) {
    const TestFolder folder;
    const auto one = *open(folder);
    TestPostgres::run_sql(config_,
                          "INSERT INTO brigada.records VALUES ('team', 't', '{\"id\":\"t\"}', 1);"
                          "UPDATE brigada.directory SET revision = 1");
    EXPECT_TRUE(eventually([&] { return has_team(*one, "t"); }));
    EXPECT_EQ(make_team(*one, "u"), 200);
    one->stop();
}

TEST_F(HierarchyTest, without_the_database_it_starts_from_its_copy_or_says_why_not) {
    const TestFolder known, fresh;
    {
        const auto one = *open(known);
        EXPECT_EQ(make_team(*one, "t"), 200);
        const auto copy = [&] {
            return (*SqliteDirectory::open(known.path() / "directory-copy.db",
                                           KeyHasher(kPepper).pepper_mark()))
                ->load()
                ->revision;
        };
        EXPECT_TRUE(eventually([&] { return copy() == 1; }));
        one->stop();
    }
    TestPostgres::shared().stop();
    const auto none = open(fresh);
    const auto one = open(known);
    ASSERT_TRUE(one.ok()) << one.error().message;
    EXPECT_TRUE(has_team(**one, "t"));
    EXPECT_EQ((*one)->notes().size(), 1u);
    EXPECT_EQ(make_team(**one, "u"), 503);
    EXPECT_TRUE(eventually([&] { return !(*one)->trouble().empty(); }));
    TestPostgres::shared().start();
    EXPECT_TRUE(eventually([&] { return (*one)->trouble().empty(); }));
    EXPECT_EQ(make_team(**one, "u"), 200);
    (*one)->stop();
    ASSERT_FALSE(none.ok());
    EXPECT_THAT(none.error().message, HasSubstr("There is no copy of its keys in data_dir"));
}

}  // namespace
}  // namespace brigada
