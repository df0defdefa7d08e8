// What the exporters share. Each is in a file of its own, export_NAME.cc.
#pragma once

#include <vector>

#include "trace/export_trace.h"

namespace brigada {

/// The names of a session's prompts, one after another.
class PromptNames {
  public:
    /// Of the next call: all its blocks.
    const std::vector<uint32_t>& next(const TraceCall& call) {
        names_.resize(call.keep_blocks);
        for (const BlockRun& run : call.added)
            for (uint32_t i = 0; i < run.count; ++i)
                names_.push_back(run.first + i);
        return names_;
    }

  private:
    std::vector<uint32_t> names_;
};

void export_brigada(const Trace& trace, const TextSink& sink);
Result<void> export_mooncake(const Trace& trace, const TextSink& sink);
void export_kv_cache_tester(const Trace& trace, const TextSink& sink);
void export_aiperf(const Trace& trace, const TextSink& sink);

}  // namespace brigada
