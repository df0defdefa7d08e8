#include "gateway/administration.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace brigada {

namespace {

constexpr int kTries = 20;
constexpr size_t kMostWaiting = 1'000;
constexpr size_t kMostNotes = 10'000;  // kept while the audit log takes none

}  // namespace

Task<ManagementReply> Administration::handle(ManagementCall call) {
    if (call.method == "GET") co_return draft(directory_, call);
    const Result<Turn> turn = co_await take_turn();
    if (!turn.ok()) co_return not_written(turn.error());
    co_return co_await change(call);
}

/// Judged again after each time that others were quicker.
Task<ManagementReply> Administration::change(const ManagementCall& call) {
    for (int tries = 0; tries < kTries; ++tries) {
        ManagementReply reply = draft(directory_, call);
        if (reply.changes.empty()) co_return reply;
        const Result<Written> written = co_await write(reply.changes);
        if (!written.ok()) co_return not_written(written.error());
        if (*written) {
            take(news_of(reply.changes, **written));
            co_return reply;
        }
        const Result<void> caught_up = co_await catch_up();
        if (!caught_up.ok()) co_return not_written(caught_up.error());
    }
    co_return overtaken();
}

Task<Result<Administration::Written>> Administration::write(const Changes& changes) {
    co_return co_await worker_.run<Written>(
        loop_, [&store = store_, changes, base = revision_] { return store.write(changes, base); });
}

Task<Result<void>> Administration::catch_up() {
    Result<DirectoryNews> news = co_await worker_.run<DirectoryNews>(
        loop_, [&store = store_, seen = revision_] { return store.since(seen); });
    if (!news.ok()) co_return std::move(news).error();
    take(*std::move(news));
    co_return Result<void>();
}

Task<void> Administration::note(std::vector<AuditEvent> events) {
    if (events.empty()) co_return;
    const Result<void> noted =
        co_await worker_.run<void>(loop_, [&store = store_, events] { return store.note(events); });
    if (noted.ok()) co_return;
    const size_t room = kMostNotes - std::min(kMostNotes, refused_notes_.size());
    events.resize(std::min(events.size(), room));
    refused_notes_.insert(refused_notes_.end(), std::make_move_iterator(events.begin()),
                          std::make_move_iterator(events.end()));
}

void Administration::take(DirectoryNews news) {
    if (news.revision <= revision_ && !news.is_whole) return;
    revision_ = news.revision;
    directory_.absorb(std::move(news));
}

Task<Result<Administration::Turn>> Administration::take_turn() {
    if (waiting_.size() >= kMostWaiting)
        co_return Error{Code::exhausted, "too many changes are waiting; try again"};
    if (!std::exchange(is_taken_, true)) co_return Turn(*this);
    const auto mine = waiting_.emplace(waiting_.end(), loop_.executor());
    co_await mine->wait();  // end_turn() leaves the turn to us
    waiting_.erase(mine);
    co_return Turn(*this);
}

void Administration::end_turn() {
    is_taken_ = !waiting_.empty();
    if (is_taken_) waiting_.front().notify();
}

}  // namespace brigada
