#include "net/record_runs.h"

#include <algorithm>

namespace brigada {

std::string_view RecordRuns::next() {
    take(0);
    if (pieces_.empty()) return {};
    std::string_view run = front();
    if (run.size() < kRecordBytes && pieces_.size() > 1) return join();
    if (run.size() > kRecordBytes) run = run.substr(0, run.size() - run.size() % kRecordBytes);
    run = run.substr(0, kRunBytes);
    take(run.size());
    return run;
}

std::string_view RecordRuns::front() const {
    const std::string_view piece(static_cast<const char*>(pieces_.front().iov_base),
                                 pieces_.front().iov_len);
    return piece.substr(taken_);
}

// Afterwards the first piece, when there is one, has bytes left.
void RecordRuns::take(size_t bytes) {
    taken_ += bytes;
    while (!pieces_.empty() && taken_ == pieces_.front().iov_len) {
        pieces_ = pieces_.subspan(1);
        taken_ = 0;
    }
}

// One record out of short pieces, and of the beginning of a long one.
std::string_view RecordRuns::join() {
    joined_.clear();
    joined_.reserve(kRecordBytes);
    while (!pieces_.empty() && joined_.size() < kRecordBytes) {
        const std::string_view part = front().substr(0, kRecordBytes - joined_.size());
        joined_ += part;
        take(part.size());
    }
    return joined_;
}

}  // namespace brigada
