// TimeZone: where a budget's day begins. A zone of the system's IANA database by name, or UTC,
// which needs no database. Looked up once, when a configuration is read; what is found does not
// change.
#pragma once

#include <date/tz.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/wall_time.h"

namespace brigada {

class TimeZone {
  public:
    TimeZone() = default;  // UTC

    /// "Europe/Madrid". Error::invalid_argument names a zone that the database does not have.
    static Result<TimeZone> find(std::string_view name);

    /// The local date at this moment.
    date::local_days day_of(WallTime time) const;

    /// When this local day begins: at midnight, or, where a clock change leaves midnight out, when
    /// the clock jumps over it; the first of two midnights.
    WallTime begin_of(date::local_days day) const;

    std::string name() const { return zone_ == nullptr ? "UTC" : zone_->name(); }
    friend bool operator==(TimeZone, TimeZone) = default;

  private:
    explicit TimeZone(const date::time_zone* zone) : zone_(zone) {}

    const date::time_zone* zone_ = nullptr;  // the database keeps it until the process ends
};

}  // namespace brigada
