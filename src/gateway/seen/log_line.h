// LogLine: one line of the log, grown field by field. JSON for machines, `name=value` for people;
// both on one line whatever the values hold, so that no client can write lines of its own.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "base/wall_time.h"
#include "gateway/config/gateway_config.h"

namespace brigada {

/// Longer texts are cut: names that clients choose must not fill the disk.
inline constexpr size_t kLogTextBytes = 512;

class LogLine {
  public:
    /// `format` is json or text.
    LogLine(LogFormat format, LogLevel level, WallTime at, std::string_view event);

    /// Empty texts are left out.
    LogLine& add(std::string_view name, std::string_view text);
    LogLine& add(std::string_view name, const char* text) {
        return add(name, std::string_view(text));
    }
    LogLine& add(std::string_view name, std::integral auto number) {
        return add_number(name, static_cast<int64_t>(number));
    }
    LogLine& add(std::string_view name, bool value);
    /// As seconds, to the microsecond.
    LogLine& add(std::string_view name, Duration duration);

    LogLevel level() const { return level_; }
    /// The finished line, without a line break; nothing can be added any more.
    std::string take();

  private:
    void begin(std::string_view name);
    void put(std::string_view text);
    LogLine& add_number(std::string_view name, int64_t number);

    LogFormat format_;
    LogLevel level_;
    std::string line_;
};

std::string_view to_string(LogLevel level);

/// "2026-03-01T12:30:05.123Z".
std::string log_time(WallTime time);

}  // namespace brigada
