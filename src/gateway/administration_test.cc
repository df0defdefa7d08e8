#include "gateway/administration.h"

#include <gmock/gmock.h>

#include <future>

#include "gateway/directory/office.h"
#include "gateway/directory/record_json.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

/// A store in memory that others may change, and that may be slow or away.
class FakeStore : public DirectoryStore {
  public:
    Result<DirectoryNews> load() override { return Error{Code::internal, "not asked for"}; }

    Result<std::optional<uint64_t>> write(const Changes& changes, uint64_t base) override {
        if (on_write) on_write();
        std::lock_guard lock(mutex_);
        if (is_away) return Error{Code::unavailable, "the database is away"};
        if (base != log_.size()) return std::optional<uint64_t>();
        log_.push_back(changes);
        return std::optional<uint64_t>(log_.size());
    }

    Result<void> note(std::span<const AuditEvent> events) override {
        std::lock_guard lock(mutex_);
        if (is_away) return Error{Code::unavailable, "the database is away"};
        noted_ += events.size();
        return {};
    }

    Result<DirectoryNews> since(uint64_t revision) override {
        std::lock_guard lock(mutex_);
        Changes all;
        for (size_t i = revision; i < log_.size(); ++i)
            all.insert(all.end(), log_[i].begin(), log_[i].end());
        return news_of(all, log_.size());
    }

    /// Another administrator makes a team.
    void others_make(const std::string& id) {
        Team team;
        team.id = id;
        std::lock_guard lock(mutex_);
        log_.push_back({{.action = "created",
                         .kind = RecordKind::team,
                         .id = id,
                         .after = to_json(Record(team))}});
    }
    size_t revisions() {
        std::lock_guard lock(mutex_);
        return log_.size();
    }

    size_t noted() {
        std::lock_guard lock(mutex_);
        return noted_;
    }

    std::function<void()> on_write;  // on the worker's thread
    std::atomic<bool> is_away = false;

  private:
    std::mutex mutex_;
    std::vector<Changes> log_;
    size_t noted_ = 0;
};

class AdministrationTest : public testing::Test {
  protected:
    ~AdministrationTest() override {
        administration_.stop();
        loop_.stop();
    }

    std::future<ManagementReply> begin(std::string method, std::string path, Json body = {}) {
        auto done = std::make_shared<std::promise<ManagementReply>>();
        EXPECT_TRUE(loop_.spawn(answer(std::move(method), std::move(path), std::move(body), done)));
        return done->get_future();
    }
    ManagementReply post(std::string path, Json body) {
        return begin("POST", std::move(path), std::move(body)).get();
    }
    bool has_team(const std::string& id) {
        bool found = false;
        EXPECT_TRUE(loop_.run([&] { found = directory_.find<Team>(id) != nullptr; }));
        return found;
    }

    Loop loop_{"test"};
    FakeStore store_;
    Directory directory_{{.master_key = std::string(kMasterKey)}, KeyHasher(kPepper), os_random()};
    Administration administration_{loop_, directory_, store_, 0};

  private:
    Task<void> answer(std::string method, std::string path, Json body,
                      std::shared_ptr<std::promise<ManagementReply>> done) {
        ManagementCall call{.method = std::move(method),
                            .path = std::move(path),
                            .body = std::move(body),
                            .caller = *directory_.identify(kMasterKey, {}),
                            .now = WallTime::seconds(1'770'000'000)};
        done->set_value(co_await administration_.handle(std::move(call)));
    }
};

TEST_F(AdministrationTest, a_change_counts_once_it_is_durable_and_not_before) {
    std::promise<void> writing, go_on;
    store_.on_write = [&] {
        writing.set_value();
        go_on.get_future().wait();
    };
    auto made = begin("POST", "/team/new", {{"team_id", "t"}});
    writing.get_future().wait();
    EXPECT_FALSE(has_team("t"));  // and the loop does not wait: it answers this
    EXPECT_EQ(begin("GET", "/team/list").get().body.size(), 0u);
    go_on.set_value();
    EXPECT_EQ(made.get().status, 200);
    EXPECT_TRUE(has_team("t"));
}

TEST_F(AdministrationTest, many_at_once_are_made_one_after_the_other) {
    std::vector<std::future<ManagementReply>> made;
    for (int i = 0; i < 200; ++i)  // two of each: the second is judged after the first was made
        made.push_back(begin("POST", "/team/new", {{"team_id", concat("t", i / 2)}}));
    int good = 0, taken = 0;
    for (auto& each : made) {
        const int status = each.get().status;
        good += status == 200;
        taken += status == 400;
    }
    EXPECT_EQ(good, 100);
    EXPECT_EQ(taken, 100);
    EXPECT_EQ(store_.revisions(), 100u);
}

TEST_F(AdministrationTest, who_was_overtaken_is_judged_again_with_what_others_made) {
    store_.others_make("theirs");
    EXPECT_EQ(post("/team/new", {{"team_id", "mine"}}).status, 200);
    EXPECT_TRUE(has_team("theirs"));
    store_.others_make("again");
    const ManagementReply taken = post("/team/new", {{"team_id", "again"}});
    EXPECT_EQ(taken.status, 400);
    EXPECT_TRUE(taken.changes.empty());
    EXPECT_EQ(store_.revisions(), 3u);
}

TEST_F(AdministrationTest, who_is_always_overtaken_is_told) {
    int others = 0;
    store_.on_write = [&] { store_.others_make(concat("theirs", ++others)); };
    const ManagementReply reply = post("/team/new", {{"team_id", "mine"}});
    EXPECT_EQ(reply.status, 409);
    EXPECT_THAT(dump_json(reply.body), HasSubstr("look again, then repeat it"));
    EXPECT_FALSE(has_team("mine"));
    EXPECT_TRUE(has_team("theirs1"));
}

TEST_F(AdministrationTest, without_its_store_it_says_why_and_changes_nothing) {
    store_.is_away = true;
    const ManagementReply reply = post("/team/new", {{"team_id", "t"}});
    EXPECT_EQ(reply.status, 503);
    EXPECT_THAT(dump_json(reply.body), HasSubstr("the database is away"));
    EXPECT_FALSE(has_team("t"));
    store_.is_away = false;
    EXPECT_EQ(post("/team/new", {{"team_id", "t"}}).status, 200);
}

TEST_F(AdministrationTest, hands_back_notes_that_its_store_does_not_take) {
    const auto note = [&](size_t count) {
        std::future<ManagementReply> after;
        loop_.run([&] {
            (void)loop_.spawn(administration_.note(std::vector<AuditEvent>(count)));
            // Asks the store after them; for a team that is there already it would not ask.
            after = begin("POST", "/team/new", {{"team_alias", concat("t", count)}});
        });
        (void)after.get();
    };
    note(2);
    EXPECT_EQ(store_.noted(), 2u);
    store_.is_away = true;
    note(3);
    std::vector<AuditEvent> refused;
    loop_.run([&] { refused = administration_.refused_notes(); });
    EXPECT_EQ(refused.size(), 3u);
    EXPECT_EQ(store_.noted(), 2u);
}

TEST_F(AdministrationTest, takes_news_once) {
    store_.others_make("a");
    store_.others_make("b");
    const DirectoryNews news = *store_.since(0);
    for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(loop_.run([&] { administration_.take(news); }));
    EXPECT_TRUE(has_team("b"));
    EXPECT_EQ(post("/team/delete", {{"team_ids", {"b"}}}).status, 200);
    EXPECT_TRUE(loop_.run([&] { administration_.take(news); }));  // late: it is known already
    EXPECT_FALSE(has_team("b"));
}

}  // namespace
}  // namespace brigada
