// download: one file from a hub to its place on disk, taking up broken transfers where they ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "base/time.h"
#include "hub/progress.h"

namespace brigada {

struct Download {
    std::string url;
    std::string token = {};              // empty: none
    Path target;                         // appears only whole and checked
    std::string sha256 = {};             // empty: what the hub says, if it does
    std::optional<uint64_t> bytes = {};  // nothing: what the hub says
    Duration retry_pause = Duration::seconds(1);
};

struct Downloaded {
    uint64_t bytes = 0;
    std::string sha256;
    bool checked = false;  // against a published checksum, not only the size
};

/// Resumes what an earlier call left beside `target`, unless the file has changed on the hub since.
/// A connection that breaks is tried again, up to 4 times in a row without a single new byte.
/// Errors: those of http_get; ::io for the disk; ::corrupt for a wrong size or checksum.
Result<Downloaded> download(const Download& wanted, PullProgress& progress);

}  // namespace brigada
