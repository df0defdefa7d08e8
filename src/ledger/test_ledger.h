// A ledger as its tests use it: quick, in small segments, filled with calls that are waited for.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ledger/ledger.h"
#include "ledger/test_folder.h"

namespace brigada {

/// In the folder's calls.db, or in `postgres`.
inline std::unique_ptr<Ledger> open_ledger(const Path& folder,
                                           std::optional<PostgresConfig> postgres = {}) {
    auto ledger = Ledger::open({.folder = folder,
                                .postgres = std::move(postgres),
                                .segment_bytes = 4'096,
                                .mover = {.pace = Duration::milliseconds(1),
                                          .retry = Duration::milliseconds(1),
                                          .longest_retry = Duration::milliseconds(20)}});
    CHECK(ledger.ok(), ledger.error().message);
    return std::move(ledger).value();
}

/// Appends calls [from, to) and waits until all are on the disk.
inline void append_calls(Ledger& ledger, uint64_t from, uint64_t to) {
    std::vector<std::future<bool>> written;
    for (uint64_t i = from; i < to; ++i) {
        std::promise<bool> done;
        written.push_back(done.get_future());
        ledger.append(agent_call(i), [done = std::move(done)](const Result<void>& outcome) mutable {
            done.set_value(outcome.ok());
        });
    }
    for (std::future<bool>& each : written)
        ASSERT_TRUE(each.get());
}

}  // namespace brigada
