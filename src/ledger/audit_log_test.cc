#include "ledger/audit_log.h"

#include <sstream>
#include <thread>

#include "ledger/test_folder.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

AuditEvent event(int number) {
    return {.at = WallTime::seconds(1'790'000'000 + number),
            .actor = "admin",
            .action = "key.update",
            .object = concat("key/", number),
            .before = {{"rpm", number}},
            .after = {{"rpm", number + 1}, {"note", "\"},\n\xff"}}};
}

AuditLog open_log(const Path& file) {
    auto log = AuditLog::open(file);
    CHECK(log.ok(), log.error().message);
    return std::move(log).value();
}

void append(AuditLog& log, int number) {
    const AuditEvent one = event(number);
    ASSERT_TRUE(log.append({&one, 1}).ok());
}

std::string whole_log(int events) {
    AuditHead head;
    std::string out;
    for (int i = 0; i < events; ++i)
        out += audit_line(event(i), head);
    return out;
}

Result<AuditHead> follow(const std::string& text, uint64_t& torn_bytes) {
    std::istringstream in(text);
    return follow_audit_log(in, torn_bytes);
}

std::string first_break(const std::string& text) {
    uint64_t torn_bytes = 0;
    return follow(text, torn_bytes).error().message;
}

TEST(AuditLog, chains_lines_that_any_tool_can_read) {
    const TestFolder folder;
    const Path file = folder.path() / "audit.jsonl";
    {
        AuditLog log = open_log(file);
        append(log, 0);
        append(log, 1);
    }
    AuditLog log = open_log(file);
    append(log, 2);
    EXPECT_EQ(bytes_of(file), whole_log(3));
    EXPECT_EQ(verify_audit_log(file).value(), log.head());
    EXPECT_EQ(log.head().seq, 3u);

    const std::string text = bytes_of(file);
    const Json first = parse_json(text.substr(0, text.find('\n')), "line").value();
    EXPECT_EQ(first["seq"], 1);
    EXPECT_EQ(first["at"], "2026-09-21T14:13:20.000000000Z");
    EXPECT_EQ(first["actor"], "admin");
    EXPECT_EQ(first["before"]["rpm"], 0);
    EXPECT_EQ(first["after"]["rpm"], 1);
    EXPECT_EQ(first["prev"], std::string(64, '0'));
    EXPECT_EQ(first["hash"].get<std::string>().size(), 64u);
}

TEST(AuditLog, verify_finds_any_changed_byte) {
    const std::string good = whole_log(3);
    for (size_t at = 0; at + 1 < good.size(); ++at) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 1);
        uint64_t torn_bytes = 0;
        const auto head = follow(bad, torn_bytes);
        const auto line = 1 + std::ranges::count(good.substr(0, at), '\n');
        ASSERT_FALSE(head.ok()) << at;
        ASSERT_THAT(head.error().message, HasSubstr(concat("breaks at line ", line, ": "))) << at;
    }
}

TEST(AuditLog, verify_finds_lines_removed_moved_or_added) {
    const std::string good = whole_log(3);
    const size_t one = good.find('\n') + 1, two = good.find('\n', one) + 1;
    const std::string a = good.substr(0, one), b = good.substr(one, two - one),
                      c = good.substr(two);
    EXPECT_EQ(first_break(b + c), "the chain breaks at line 1: its seq is not 1");
    EXPECT_EQ(first_break(a + c), "the chain breaks at line 2: its seq is not 2");
    EXPECT_EQ(first_break(a + a), "the chain breaks at line 2: its seq is not 2");
    EXPECT_EQ(first_break(a + "\n" + b), "the chain breaks at line 2: it does not end in a hash");
    AuditHead other{1, std::string(64, 'f')};
    EXPECT_EQ(first_break(a + audit_line(event(1), other)),
              "the chain breaks at line 2: its prev is not the hash of the line before");
}

TEST(AuditLog, cuts_a_torn_last_line_and_goes_on) {
    const TestFolder folder;
    const Path file = folder.path() / "audit.jsonl";
    const std::string two = whole_log(2);
    put_bytes(file, two.substr(0, two.size() - 1));
    AuditLog log = open_log(file);
    EXPECT_EQ(log.torn_bytes(), two.size() - 1 - whole_log(1).size());
    append(log, 1);
    EXPECT_EQ(bytes_of(file), two);
}

TEST(AuditLog, refuses_to_continue_a_broken_chain_and_names_the_file) {
    const TestFolder folder;
    const Path file = folder.path() / "audit.jsonl";
    put_bytes(file, "{}\n");
    EXPECT_EQ(AuditLog::open(file).error().message,
              concat(file.string(), ": the chain breaks at line 1: it does not end in a hash"));
    EXPECT_EQ(bytes_of(file), "{}\n");
    EXPECT_EQ(verify_audit_log(folder.path() / "none").error().code, Code::not_found);
}

TEST(AuditLog, is_for_one_process) {
    const TestFolder folder;
    const AuditLog log = open_log(folder.path() / "audit.jsonl");
    EXPECT_EQ(AuditLog::open(folder.path() / "audit.jsonl").error().code, Code::unavailable);
}

/// Syncs nothing, once told so.
class FailingDisk : public Disk {
  public:
    int sync(int fd) override {
        errno = EIO;
        return works ? Disk::sync(fd) : -1;
    }
    bool works = true;
};

TEST(AuditLog, an_event_that_failed_is_not_in_the_log) {
    const TestFolder folder;
    const Path file = folder.path() / "audit.jsonl";
    FailingDisk disk;
    AuditLog log = AuditLog::open(file, disk).value();
    append(log, 0);
    disk.works = false;
    const AuditEvent lost = event(7);
    EXPECT_EQ(log.append({&lost, 1}).error().code, Code::io);
    EXPECT_EQ(bytes_of(file), whole_log(1));
    disk.works = true;
    append(log, 1);
    EXPECT_EQ(bytes_of(file), whole_log(2));
}

TEST(AuditLog, takes_events_from_many_threads) {
    const TestFolder folder;
    const Path file = folder.path() / "audit.jsonl";
    AuditLog log = open_log(file);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            const std::vector<AuditEvent> two{event(1), event(2)};
            for (int i = 0; i < 10; ++i)
                CHECK(log.append(two).ok());
        });
    for (std::thread& each : threads)
        each.join();
    EXPECT_EQ(verify_audit_log(file).value().seq, 80u);
}

}  // namespace
}  // namespace brigada
