// GatewayLog: the log of the front door. Lines are handed to a thread of its own, so that a slow
// terminal, pipe or disk never holds up a call; when too many wait the oldest are dropped, and
// counted. spdlog's sinks do the writing.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "gateway/config/gateway_config.h"
#include "gateway/seen/log_line.h"

namespace brigada {

class GatewayLog {
  public:
    /// Lines that may wait. At 0.5 KB a call that is 4 MB.
    static constexpr size_t kQueueLines = 8'192;

    /// To the file, which is appended to, or to stderr. Error::io names the file.
    static Result<std::unique_ptr<GatewayLog>> open(const LogSettings& settings,
                                                    size_t queue_lines = kQueueLines);
    /// Writes what waits.
    ~GatewayLog();

    bool writes(LogLevel level) const { return level >= level_; }
    LogFormat format() const { return format_; }

    /// A line of now, to be filled in and given to write().
    LogLine line(LogLevel level, std::string_view event) const;

    /// Any thread. Never waits for the disk.
    void write(LogLine line);

    /// The file may have been moved away: the lines to come go to a new one of its name. Any
    /// thread. The old one is kept where that can't be made. Nothing on stderr.
    void reopen();

    /// Lines that were dropped because too many waited.
    uint64_t dropped() const;

  private:
    class Writer;
    GatewayLog(LogLevel level, LogFormat format, std::unique_ptr<Writer> writer);

    LogLevel level_;
    LogFormat format_;
    std::unique_ptr<Writer> writer_;
};

}  // namespace brigada
