// RecordRuns: the pieces of a body as runs that TLS can encrypt without waste. A record holds up to
// 16 KB and costs the same work however little is in it; so long pieces are handed out in whole
// records, from where they lie, and short ones are joined.
#pragma once

#include <sys/uio.h>

#include <span>
#include <string>
#include <string_view>

namespace brigada {

inline constexpr size_t kRecordBytes = 16 * 1024;  // the most a TLS record holds
inline constexpr size_t kRunBytes = 4 * kRecordBytes;

class RecordRuns {
  public:
    /// The pieces, and what they name, stay the caller's.
    explicit RecordRuns(std::span<const iovec> pieces) : pieces_(pieces) {}

    /// The next bytes, empty at the end: whole records, but for the last. The view lives until the
    /// next call.
    std::string_view next();

  private:
    std::string_view front() const;
    void take(size_t bytes);
    std::string_view join();

    std::span<const iovec> pieces_;
    size_t taken_ = 0;  // of the first piece
    std::string joined_;
};

}  // namespace brigada
