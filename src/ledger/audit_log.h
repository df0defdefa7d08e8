// AuditLog: who did what to whom, for good. One JSON object a line; each line carries the hash of
// the one before it and its own, so that a changed, removed or moved line is found. Whoever notes
// the head elsewhere can also prove that nothing was cut off the end.
//
//   {"seq":1,"at":"2026-11-29T08:05:09.000000001Z","actor":"admin","action":"key.create",
//    "object":"key/8c1f","before":null,"after":{"team":"red"},"prev":"000…0","hash":"9f2c…"}
//
// `hash` is SHA-256 of the line's bytes before `,"hash":`.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/wall_time.h"
#include "ledger/log_file.h"

namespace brigada {

struct AuditEvent {
    WallTime at = {};
    std::string actor = {};   // who: a user's or key's id; never a secret
    std::string action = {};  // "key.create", "policy.refuse"
    std::string object = {};  // to whom
    Json before = nullptr;
    Json after = nullptr;
};

/// The end of a chain: how many events, and the hash of the last.
struct AuditHead {
    uint64_t seq = 0;
    std::string hash = std::string(64, '0');

    bool operator==(const AuditHead&) const = default;
};

/// The event's line after `head`, with its line end; `head` moves on.
std::string audit_line(const AuditEvent& event, AuditHead& head);

/// Moves `head` over one line, without its line end. Error::corrupt says what is wrong with it.
Result<void> follow_audit_line(std::string_view line, AuditHead& head);

/// The head of a whole chain. Error::corrupt names the line of the first break. A last line
/// without its end is a write cut short, not a break: its bytes are added to `torn_bytes`.
Result<AuditHead> follow_audit_log(std::istream& in, uint64_t& torn_bytes);

/// The same of a file. Error::not_found, ::corrupt, ::io.
Result<AuditHead> verify_audit_log(const Path& file);

class AuditLog {
  public:
    /// Follows what is there, cuts off a torn last line and takes a lock. Error::corrupt for a
    /// break, ::unavailable when another process writes it, ::io.
    static Result<AuditLog> open(const Path& file, Disk& disk = Disk::real());

    /// All of them on the disk, or none and an Error::io: then the act must not happen. Waits for
    /// the disk; any thread.
    Result<void> append(std::span<const AuditEvent> events);

    AuditHead head() const;

    /// What opening cut off, in bytes.
    uint64_t torn_bytes() const { return torn_bytes_; }

  private:
    AuditLog(ProcessLock lock, LogFile file, AuditHead head, uint64_t torn_bytes)
        : lock_(std::move(lock)),
          mutex_(std::make_unique<std::mutex>()),
          file_(std::move(file)),
          head_(std::move(head)),
          torn_bytes_(torn_bytes) {}

    ProcessLock lock_;
    std::unique_ptr<std::mutex> mutex_;
    LogFile file_;
    AuditHead head_;
    uint64_t torn_bytes_;
};

}  // namespace brigada
