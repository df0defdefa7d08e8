// PerfettoTrace: a simulation to look at, in the trace-event JSON that Perfetto and Chrome open: a
// lane for each replica with its steps, a curve of the KV it holds, and what happened to it.
#pragma once

#include <string>
#include <string_view>

#include "sim/simulate.h"

namespace brigada {

class PerfettoTrace : public SimObserver {
  public:
    void computed(const Steps& steps) override;
    void happened(Instant at, uint32_t replica, std::string_view what) override;

    /// The file, complete.
    std::string text() const { return text_ + "\n]}\n"; }

  private:
    void begin_event();

    std::string text_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
    bool has_events_ = false;
};

}  // namespace brigada
