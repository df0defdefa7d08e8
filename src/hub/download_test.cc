#include "hub/download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/rng.h"
#include "hub/http_get.h"
#include "hub/scratch_folder.h"
#include "hub/sha256.h"
#include "hub/tiny_hub.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kVersion = "version-1";

std::string random_bytes(size_t n, uint64_t seed = 1) {
    Rng rng(seed);
    std::string out(n, '\0');
    for (char& c : out)
        c = static_cast<char>(rng.next());
    return out;
}

std::string sum_of(std::string_view bytes) {
    Sha256 sum;
    sum.update(bytes);
    return sum.hex();
}

/// A file on a hub and a place to put it.
struct Fetch {
    explicit Fetch(TinyHub::Handler handler) : hub(std::move(handler)) {}

    ScratchFolder scratch;
    TinyHub hub;
    PullProgress silent;

    Path target() const { return scratch.path() / "models" / "m.gguf"; }
    Path part() const { return target().string() + ".part"; }

    Download wanted(std::string sha256 = "") const {
        return {.url = hub.address() + "/m.gguf",
                .target = target(),
                .sha256 = std::move(sha256),
                .retry_pause = Duration()};
    }

    Result<Downloaded> run(std::string sha256 = "") { return download(wanted(sha256), silent); }

    std::string arrived() const { return read_file(target(), 100 << 20).value_or("(nothing)"); }

    bool is_clean() const {
        return !std::filesystem::exists(target()) && !std::filesystem::exists(part());
    }
};

TEST(Download, brings_the_bytes_and_their_checksum) {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{16'384}, size_t{1'000'003}}) {
        SCOPED_TRACE(size);
        const std::string bytes = random_bytes(size);
        Fetch fetch(
            [&](const TinyHub::Request& r) { return TinyHub::file(r, bytes, sum_of(bytes)); });
        const auto got = fetch.run();
        ASSERT_TRUE(got.ok()) << got.error().message;
        EXPECT_EQ(got->bytes, size);
        EXPECT_EQ(got->sha256, sum_of(bytes));
        EXPECT_TRUE(got->checked);
        EXPECT_EQ(fetch.arrived(), bytes);
        EXPECT_FALSE(std::filesystem::exists(fetch.part()));
    }
}

TEST(Download, says_when_there_was_no_checksum_to_check) {
    Fetch fetch([](const TinyHub::Request& r) { return TinyHub::file(r, "abc", kVersion); });
    EXPECT_FALSE(fetch.run()->checked);
}

TEST(Download, goes_on_where_the_connection_broke) {
    const std::string bytes = random_bytes(300'000);
    Fetch fetch([&](const TinyHub::Request& r) {
        TinyHub::Answer answer = TinyHub::file(r, bytes, kVersion);
        answer.cut_after = 70'000;  // every time
        return answer;
    });
    ASSERT_TRUE(fetch.run(sum_of(bytes)).ok());
    EXPECT_EQ(fetch.arrived(), bytes);
    std::vector<size_t> began;
    for (const auto& request : fetch.hub.requests())
        began.push_back(request.from());
    EXPECT_THAT(began, ::testing::ElementsAre(0, 70'000, 140'000, 210'000, 280'000));
}

TEST(Download, gives_up_when_nothing_comes_and_goes_on_another_day) {
    const std::string bytes = random_bytes(100'000);
    bool broken = true;
    Fetch fetch([&](const TinyHub::Request& r) {
        TinyHub::Answer answer = TinyHub::file(r, bytes, kVersion);
        if (broken) answer.cut_after = r.from() == 0 ? 40'000 : 0;
        return answer;
    });
    EXPECT_EQ(fetch.run().error().code, Code::io);
    EXPECT_FALSE(std::filesystem::exists(fetch.target()));
    EXPECT_EQ(std::filesystem::file_size(fetch.part()), 40'000u);

    broken = false;
    ASSERT_TRUE(fetch.run(sum_of(bytes)).ok());
    EXPECT_EQ(fetch.hub.requests().back().from(), 40'000u);
    EXPECT_EQ(fetch.arrived(), bytes);
}

TEST(Download, starts_over_when_the_file_changed_meanwhile) {
    const std::string old = random_bytes(100'000, 1);
    const std::string fresh = random_bytes(90'000, 2);
    bool changed = false;
    Fetch fetch([&](const TinyHub::Request& r) {
        if (changed) return TinyHub::file(r, fresh, "version-2");
        TinyHub::Answer answer = TinyHub::file(r, old, kVersion);
        answer.cut_after = r.from() == 0 ? 50'000 : 0;
        return answer;
    });
    EXPECT_FALSE(fetch.run().ok());
    changed = true;
    ASSERT_TRUE(fetch.run().ok());
    EXPECT_EQ(fetch.arrived(), fresh);
}

TEST(Download, starts_over_when_the_file_is_now_shorter_than_the_part) {
    const std::string fresh = random_bytes(1'000);
    Fetch fetch([&](const TinyHub::Request& r) { return TinyHub::file(r, fresh, "version-2"); });
    fetch.scratch.write("models/m.gguf.part", random_bytes(5'000, 9));
    fetch.scratch.write("models/m.gguf.part.version", kVersion);
    ASSERT_TRUE(fetch.run().ok());
    EXPECT_EQ(fetch.arrived(), fresh);
}

TEST(Download, takes_the_whole_file_from_a_hub_without_ranges) {
    const std::string bytes = random_bytes(50'000);
    Fetch fetch([&](TinyHub::Request r) {
        r.headers.erase("range");
        return TinyHub::file(r, bytes, kVersion);
    });
    fetch.scratch.write("models/m.gguf.part", bytes.substr(0, 20'000));
    fetch.scratch.write("models/m.gguf.part.version", kVersion);
    ASSERT_TRUE(fetch.run(sum_of(bytes)).ok());
    EXPECT_EQ(fetch.arrived(), bytes);
}

TEST(Download, throws_away_what_has_the_wrong_checksum) {
    Fetch fetch([](const TinyHub::Request& r) { return TinyHub::file(r, "evil", kVersion); });
    const auto got = fetch.run(sum_of("good"));
    EXPECT_EQ(got.error().code, Code::corrupt);
    EXPECT_THAT(got.error().message, HasSubstr(sum_of("good")));
    EXPECT_TRUE(fetch.is_clean());
}

TEST(Download, finds_a_damaged_part_by_its_checksum) {
    const std::string bytes = random_bytes(10'000);
    Fetch fetch([&](const TinyHub::Request& r) { return TinyHub::file(r, bytes, kVersion); });
    fetch.scratch.write("models/m.gguf.part", std::string(4'000, 'x'));
    fetch.scratch.write("models/m.gguf.part.version", kVersion);
    EXPECT_EQ(fetch.run(sum_of(bytes)).error().code, Code::corrupt);
    ASSERT_TRUE(fetch.run(sum_of(bytes)).ok());
    EXPECT_EQ(fetch.arrived(), bytes);
}

TEST(Download, refuses_another_size_than_expected) {
    Fetch fetch([](const TinyHub::Request& r) { return TinyHub::file(r, "12345", kVersion); });
    Download wanted = fetch.wanted();
    wanted.bytes = 4;
    const auto got = download(wanted, fetch.silent);
    EXPECT_EQ(got.error().code, Code::corrupt);
    EXPECT_THAT(got.error().message, HasSubstr("has 5 bytes, expected 4"));
    EXPECT_FALSE(std::filesystem::exists(fetch.target()));
}

TEST(Download, says_what_each_refusal_means) {
    const std::vector<std::tuple<int, Code, std::string>> answers{
        {401, Code::unauthenticated, "set HF_TOKEN"},
        {403, Code::forbidden, "accept the model's terms"},
        {404, Code::not_found, "no such repository"},
        {429, Code::unavailable, "slow down"},
        {503, Code::unavailable, "try again later"},
        {204, Code::unsupported, "HTTP 204"}};
    for (const auto& [status, code, words] : answers) {
        Fetch fetch([&](const TinyHub::Request&) {
            return TinyHub::Answer{.status = status,
                                   .body = status == 204 ? "" : "<html>no</html>"};
        });
        const auto got = fetch.run();
        EXPECT_EQ(got.error().code, code) << status;
        EXPECT_THAT(got.error().message, HasSubstr(words));
        EXPECT_FALSE(std::filesystem::exists(fetch.target()));
        EXPECT_EQ(fetch.hub.requests().size(), status == 429 || status == 503 ? 4u : 1u) << status;
    }
}

TEST(Download, sends_the_token_to_the_hub_but_not_where_it_redirects_to) {
    TinyHub storage(
        [](const TinyHub::Request& r) { return TinyHub::file(r, "abc", "other-etag"); });
    Fetch fetch([&](const TinyHub::Request& r) {
        if (!r.headers.contains("authorization")) return TinyHub::Answer{.status = 401};
        return TinyHub::Answer{.status = 302,
                               .headers = {"location: " + storage.address() + "/blob",
                                           concat("x-linked-etag: \"", sum_of("abc"), "\"")}};
    });
    EXPECT_EQ(fetch.run().error().code, Code::unauthenticated);

    Download wanted = fetch.wanted();
    wanted.token = "secret";
    const auto got = download(wanted, fetch.silent);
    ASSERT_TRUE(got.ok()) << got.error().message;
    EXPECT_TRUE(got->checked);  // by the sum that the hub named before it redirected
    EXPECT_EQ(fetch.hub.requests().back().headers.at("authorization"), "Bearer secret");
    EXPECT_FALSE(storage.requests().back().headers.contains("authorization"));
}

TEST(Download, does_not_follow_redirects_out_of_the_web_or_in_circles) {
    Fetch to_a_file([](const TinyHub::Request&) {
        return TinyHub::Answer{.status = 302, .headers = {"location: file:///etc/passwd"}};
    });
    EXPECT_FALSE(to_a_file.run().ok());
    EXPECT_FALSE(std::filesystem::exists(to_a_file.target()));
    Fetch in_circles([](const TinyHub::Request&) {
        return TinyHub::Answer{.status = 302, .headers = {"location: /again"}};
    });
    EXPECT_FALSE(in_circles.run().ok());
}

TEST(Download, tells_that_nobody_answers) {
    std::string address;
    {
        TinyHub gone([](const TinyHub::Request&) { return TinyHub::Answer{}; });
        address = gone.address();
    }
    Fetch fetch([](const TinyHub::Request&) { return TinyHub::Answer{}; });
    Download wanted = fetch.wanted();
    wanted.url = address + "/m.gguf";
    const auto got = download(wanted, fetch.silent);
    EXPECT_EQ(got.error().code, Code::unavailable);
    EXPECT_THAT(got.error().message, HasSubstr("HF_ENDPOINT"));
}

/// Files of this process may not grow over `bytes`: to a writer, a full disk.
class SmallFiles {
  public:
    explicit SmallFiles(rlim_t bytes) {
        ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit small{bytes, before_.rlim_max};
        EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    }
    ~SmallFiles() { ::setrlimit(RLIMIT_FSIZE, &before_); }

  private:
    rlimit before_{};
};

TEST(Download, keeps_what_arrived_when_the_disk_is_full) {
    const std::string bytes = random_bytes(500'000);
    Fetch fetch([&](const TinyHub::Request& r) { return TinyHub::file(r, bytes, kVersion); });
    {
        const SmallFiles full(200'000);
        const auto got = fetch.run();
        EXPECT_EQ(got.error().code, Code::io);
        EXPECT_THAT(got.error().message, HasSubstr("free some space"));
    }
    EXPECT_FALSE(std::filesystem::exists(fetch.target()));
    ASSERT_TRUE(fetch.run(sum_of(bytes)).ok());
    EXPECT_EQ(fetch.hub.requests().back().from(), 200'000u);
    EXPECT_EQ(fetch.arrived(), bytes);
}

/// Ends its own process once enough has arrived.
class KilledAt : public PullProgress {
  public:
    explicit KilledAt(uint64_t bytes) : bytes_(bytes) {}
    void bytes(std::string_view, uint64_t done, uint64_t) override {
        if (done >= bytes_) ::raise(SIGKILL);
    }

  private:
    uint64_t bytes_;
};

TEST(DownloadDeathTest, survives_being_killed_in_the_middle) {
    const std::string bytes = random_bytes(400'000);
    Fetch fetch([&](const TinyHub::Request& r) { return TinyHub::file(r, bytes, kVersion); });
    EXPECT_EXIT(
        {
            KilledAt killed(150'000);
            (void)download(fetch.wanted(), killed);
        },
        ::testing::KilledBySignal(SIGKILL), "");
    EXPECT_FALSE(std::filesystem::exists(fetch.target()));
    EXPECT_GE(std::filesystem::file_size(fetch.part()), 150'000u);

    ASSERT_TRUE(fetch.run(sum_of(bytes)).ok());
    EXPECT_GE(fetch.hub.requests().back().from(), 150'000u);
    EXPECT_EQ(fetch.arrived(), bytes);
}

TEST(HttpGetText, is_bounded) {
    const std::string page(100'000, 'x');
    TinyHub hub([&](const TinyHub::Request& r) { return TinyHub::file(r, page, kVersion); });
    EXPECT_EQ(http_get_text({hub.address() + "/", "", 0}, page.size()).value(), page);
    EXPECT_EQ(http_get_text({hub.address() + "/", "", 0}, page.size() - 1).error().code,
              Code::too_large);
}

}  // namespace
}  // namespace brigada
