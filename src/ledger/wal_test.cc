#include "ledger/wal.h"

#include <atomic>
#include <future>

#include "ledger/test_folder.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

/// A disk that can be full: it takes `room` more bytes, and syncs while `syncs`.
class FullDisk : public Disk {
  public:
    ssize_t write(int fd, std::string_view bytes, uint64_t offset) override {
        const uint64_t left = room;
        if (left == 0) {
            ++refused;
            errno = ENOSPC;
            return -1;
        }
        const ssize_t n = Disk::write(fd, bytes.substr(0, left), offset);
        room -= static_cast<uint64_t>(n);
        return n;
    }
    int sync(int fd) override {
        if (syncs) return Disk::sync(fd);
        ++refused;
        errno = EIO;
        return -1;
    }

    std::atomic<uint64_t> room = uint64_t{1} << 40;
    std::atomic<bool> syncs = true;
    std::atomic<int> refused = 0;
};

std::unique_ptr<Wal> open_wal(const WalConfig& config) {
    auto wal = Wal::open(config);
    CHECK(wal.ok(), wal.error().message);
    return std::move(wal).value();
}

/// Appends and waits until it is on the disk.
void append(Wal& wal, std::string record) {
    std::promise<bool> done;
    wal.append(std::move(record),
               [&](const Result<void>& outcome) { done.set_value(outcome.ok()); });
    ASSERT_TRUE(done.get_future().get());
}

std::vector<std::string> records_in(const Path& folder) {
    std::vector<std::string> records;
    const auto contents = scan_wal_folder(folder, 0, [&](const WalFrame& frame, uint64_t) {
        records.insert(records.end(), frame.records.begin(), frame.records.end());
    });
    CHECK(contents.ok(), contents.error().message);
    return records;
}

std::vector<std::string> numbers(int from, int to) {
    std::vector<std::string> out;
    for (int i = from; i < to; ++i)
        out.push_back(concat("record ", i));
    return out;
}

TEST(Wal, keeps_every_record_of_many_appenders_once_and_each_appenders_order) {
    const TestFolder folder;
    std::atomic<int> done = 0;
    {
        const auto wal = open_wal({.folder = folder.path(), .segment_bytes = 4'096});
        std::vector<std::thread> appenders;
        for (int a = 0; a < 8; ++a)
            appenders.emplace_back([&, a] {
                for (int i = 0; i < 200; ++i)
                    wal->append(concat(a, " ", i), [&](const Result<void>& r) { done += r.ok(); });
            });
        for (std::thread& each : appenders)
            each.join();
        wal->stop(Duration::seconds(60));
        EXPECT_EQ(done, 1'600);
        EXPECT_EQ(wal->status().end, 1'601u);
    }
    std::vector<int> next(8, 0);
    for (const std::string& record : records_in(folder.path())) {
        const int a = record[0] - '0';
        ASSERT_EQ(record, concat(a, " ", next[static_cast<size_t>(a)]++));
    }
    EXPECT_EQ(next, std::vector<int>(8, 200));
}

TEST(Wal, goes_on_where_it_ended) {
    const TestFolder folder;
    for (int i = 0; i < 5; ++i)
        append(*open_wal({.folder = folder.path(), .segment_bytes = 100}), concat("record ", i));
    EXPECT_EQ(records_in(folder.path()), numbers(0, 5));
}

TEST(Wal, cuts_a_torn_tail_at_every_length_and_loses_nothing_before_it) {
    const TestFolder folder;
    const Path file = wal_segment_path(folder.path(), 1);
    {
        const auto wal = open_wal({.folder = folder.path()});
        append(*wal, "record 0");
        append(*wal, "record 1");
    }
    const std::string whole = bytes_of(file);
    const size_t frame = (whole.size() - kWalSegmentHeaderBytes) / 2;
    for (size_t size = whole.size() - frame; size < whole.size(); ++size) {
        SCOPED_TRACE(size);
        put_bytes(file, whole.substr(0, size));
        const auto wal = open_wal({.folder = folder.path()});
        const uint64_t torn = size - (whole.size() - frame);
        ASSERT_EQ(wal->torn().has_value(), torn > 0);
        if (torn > 0) ASSERT_EQ(wal->torn()->bytes, torn);
        append(*wal, "record 1");
        ASSERT_EQ(records_in(folder.path()), numbers(0, 2));
    }
}

TEST(Wal, starts_over_a_segment_whose_making_was_interrupted) {
    const TestFolder folder;
    append(*open_wal({.folder = folder.path(), .segment_bytes = 1}), "record 0");
    const Path second = wal_segment_path(folder.path(), 2);
    put_bytes(second, "BRI");
    const auto wal = open_wal({.folder = folder.path(), .segment_bytes = 1});
    ASSERT_TRUE(wal->torn());
    append(*wal, "record 1");
    EXPECT_EQ(records_in(folder.path()), numbers(0, 2));
}

TEST(Wal, refuses_any_changed_byte_before_the_last_frame_and_changes_nothing) {
    const TestFolder folder;
    const Path file = wal_segment_path(folder.path(), 1);
    {
        const auto wal = open_wal({.folder = folder.path()});
        append(*wal, "record 0");
        append(*wal, "record 1");
    }
    const std::string whole = bytes_of(file);
    const size_t last = (whole.size() + kWalSegmentHeaderBytes) / 2;
    for (size_t at = 0; at < last; ++at) {
        SCOPED_TRACE(at);
        std::string bad = whole;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        put_bytes(file, bad);
        const auto wal = Wal::open({.folder = folder.path()});
        ASSERT_FALSE(wal.ok());
        ASSERT_EQ(wal.error().code, Code::corrupt);
        const size_t where = at < kWalSegmentHeaderBytes ? 0 : kWalSegmentHeaderBytes;
        ASSERT_THAT(wal.error().message,
                    HasSubstr(concat(file.string(), ": damaged at byte ", where)));
        ASSERT_THAT(wal.error().message, HasSubstr("Put the file back from a copy"));
        ASSERT_EQ(bytes_of(file), bad);
    }
}

TEST(Wal, refuses_when_a_segment_is_missing) {
    const TestFolder folder;
    {
        const auto wal = open_wal({.folder = folder.path(), .segment_bytes = 1});
        for (int i = 0; i < 3; ++i)
            append(*wal, concat("record ", i));
    }
    std::filesystem::remove(wal_segment_path(folder.path(), 2));
    EXPECT_THAT(Wal::open({.folder = folder.path()}).error().message,
                HasSubstr("records 2 to 2 are neither in the log nor in the store"));
    EXPECT_THAT(Wal::open({.folder = folder.path(), .moved = 9}).error().message,
                HasSubstr("records 4 to 9"));
    EXPECT_TRUE(Wal::open({.folder = folder.path(), .moved = 2}).ok());  // removed late
}

TEST(Wal, on_a_full_disk_keeps_what_it_accepted_and_recovers_by_itself) {
    const TestFolder folder;
    FullDisk disk;
    const auto wal =
        open_wal({.folder = folder.path(), .retry = Duration::milliseconds(1), .disk = &disk});
    append(*wal, "record 0");
    EXPECT_TRUE(wal->accepting());
    disk.room = 10;  // within a frame
    std::promise<bool> first, second;
    wal->append("record 1", [&](const Result<void>& r) { first.set_value(r.ok()); });
    while (disk.refused < 2)
        std::this_thread::yield();
    EXPECT_FALSE(wal->accepting());
    EXPECT_THAT(wal->status().trouble, HasSubstr("free some space"));
    wal->append("record 2", [&](const Result<void>& r) { second.set_value(r.ok()); });
    EXPECT_EQ(wal->status().unwritten, 2u);
    EXPECT_EQ(records_in(folder.path()), numbers(0, 1));

    disk.room = uint64_t{1} << 40;
    EXPECT_TRUE(first.get_future().get());
    EXPECT_TRUE(second.get_future().get());
    EXPECT_TRUE(wal->accepting());
    EXPECT_EQ(records_in(folder.path()), numbers(0, 3));
}

TEST(Wal, counts_nothing_as_written_that_was_not_synced) {
    const TestFolder folder;
    FullDisk disk;
    const auto wal = open_wal({.folder = folder.path(), .disk = &disk});
    append(*wal, "record 0");
    disk.syncs = false;
    std::promise<Code> told;
    wal->append("record 1", [&](const Result<void>& r) { told.set_value(r.error().code); });
    wal->stop(Duration());
    EXPECT_EQ(told.get_future().get(), Code::io);
    EXPECT_EQ(wal->status().end, 2u);
    EXPECT_EQ(records_in(folder.path()), numbers(0, 1));
}

TEST(Wal, is_full_in_bytes_before_it_is_full_in_memory) {
    const TestFolder folder;
    FullDisk disk;
    const auto wal = open_wal({.folder = folder.path(), .waiting_bytes = 10, .disk = &disk});
    disk.syncs = false;
    wal->append(std::string(11, 'x'), [](const Result<void>&) {});
    EXPECT_FALSE(wal->accepting());
    EXPECT_EQ(wal->status().backlog_bytes, 11u);
    disk.syncs = true;
    wal->stop(Duration::seconds(60));
    EXPECT_EQ(records_in(folder.path()), std::vector<std::string>{std::string(11, 'x')});
}

TEST(Wal, answers_when_it_is_closed) {
    const TestFolder folder;
    const auto wal = open_wal({.folder = folder.path()});
    wal->stop(Duration());
    EXPECT_FALSE(wal->accepting());
    Code code{};
    wal->append("late", [&](const Result<void>& r) { code = r.error().code; });
    EXPECT_EQ(code, Code::unavailable);
}

TEST(Wal, removes_segments_once_all_of_them_is_moved) {
    const TestFolder folder;
    const auto wal = open_wal({.folder = folder.path(), .segment_bytes = 1});
    for (int i = 0; i < 4; ++i)
        append(*wal, concat("record ", i));
    EXPECT_EQ(wal->status().backlog_records, 4u);
    EXPECT_EQ(wal->status().backlog_bytes, 32u);
    wal->moved(2, 16);
    EXPECT_FALSE(std::filesystem::exists(wal_segment_path(folder.path(), 2)));
    EXPECT_TRUE(std::filesystem::exists(wal_segment_path(folder.path(), 3)));
    wal->moved(4, 16);
    EXPECT_TRUE(std::filesystem::exists(wal_segment_path(folder.path(), 4)));  // still written
    EXPECT_EQ(wal->status().backlog_records, 0u);
    EXPECT_EQ(wal->status().backlog_bytes, 0u);
}

TEST(WalReader, reads_from_any_record_on_across_segments) {
    const TestFolder folder;
    const auto wal = open_wal({.folder = folder.path(), .segment_bytes = 100});
    for (int i = 0; i < 20; ++i)
        append(*wal, concat("record ", i));
    for (uint64_t from = 1; from <= 20; ++from) {
        WalReader reader(folder.path());
        std::vector<std::string> read;
        for (uint64_t next = from; next <= 20;) {
            const OwnedWalFrame owned = reader.frame_of(next).value();
            read.insert(read.end(), owned.frame.records.begin(), owned.frame.records.end());
            next = owned.frame.end();
        }
        EXPECT_EQ(read, numbers(static_cast<int>(from) - 1, 20));
    }
}

TEST(WalSegment, takes_no_frame_that_a_client_wrote_into_its_own_words) {
    WalFrameWriter forger;
    forger.add("not a call");
    const std::string forged = std::move(forger).finish({.first = 1, .salt = 0}, 99, {});
    WalFrameWriter writer;
    writer.add("what was torn: " + forged);
    const WalSegmentHeader header{.first = 1, .salt = 0xfeed};
    const std::string frame = std::move(writer).finish(header, 1, {});
    const std::string torn = encode(header) + frame.substr(0, frame.size() - 1);
    const WalSegmentScan scan = scan_wal_segment(torn, header, [](const WalFrame&, uint64_t) {});
    EXPECT_EQ(scan.sound_bytes, kWalSegmentHeaderBytes);
    EXPECT_FALSE(scan.later_frame);
}

TEST(ProcessLock, names_the_process_that_holds_it) {
    const TestFolder folder;
    const Path file = folder.path() / "lock";
    const auto held = ProcessLock::take(file);
    ASSERT_TRUE(held.ok());
    const auto second = ProcessLock::take(file);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, Code::unavailable);
    EXPECT_EQ(second.error().message,
              concat(file.string(), ": held by process ", ::getpid(),
                     "; stop that one, or give this one a folder of its own"));
}

}  // namespace
}  // namespace brigada
