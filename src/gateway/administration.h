// Administration: management calls from their draft to their answer. One change at a time is
// drafted on the loop, written on a thread of its own, and absorbed by the directory once it is
// durable; the loop never waits.
#pragma once

#include <cstdint>
#include <list>
#include <optional>

#include "gateway/directory/directory.h"
#include "gateway/directory/directory_store.h"
#include "gateway/directory/management.h"
#include "net/loop.h"
#include "net/signal.h"
#include "net/worker.h"

namespace brigada {

/// Loop thread only, but for stop().
class Administration {
  public:
    /// All outlive it; `store` is used on the worker's thread. The directory is as of `revision`.
    Administration(Loop& loop, Directory& directory, DirectoryStore& store, uint64_t revision)
        : loop_(loop), directory_(directory), store_(store), revision_(revision) {}

    /// 503 in words while the store is away, 409 when others are always quicker.
    Task<ManagementReply> handle(ManagementCall call);

    /// Events that change nothing, for the audit log. Those that it does not take are handed back
    /// by refused_notes(), to be noted again.
    Task<void> note(std::vector<AuditEvent> events);
    std::vector<AuditEvent> refused_notes() { return std::exchange(refused_notes_, {}); }

    /// What others have changed. News that are known already change nothing.
    void take(DirectoryNews news);

    /// Finishes what is being written. Before the loop ends.
    void stop() { worker_.stop(); }

  private:
    /// The right to change something; the next one in line has it when this is gone.
    class Turn {
      public:
        explicit Turn(Administration& of) : of_(&of) {}
        Turn(Turn&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
        Turn& operator=(Turn&&) = delete;
        ~Turn() {
            if (of_) of_->end_turn();
        }

      private:
        Administration* of_;
    };
    using Written = std::optional<uint64_t>;

    Task<Result<Turn>> take_turn();
    void end_turn();
    Task<ManagementReply> change(const ManagementCall& call);
    Task<Result<Written>> write(const Changes& changes);
    Task<Result<void>> catch_up();

    Loop& loop_;
    Directory& directory_;
    DirectoryStore& store_;
    uint64_t revision_;  // of the directory
    bool is_taken_ = false;
    std::list<Signal> waiting_;  // in the order they came
    std::vector<AuditEvent> refused_notes_;
    Worker worker_{"directory"};
};

}  // namespace brigada
