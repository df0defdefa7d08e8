// LoadRun: sends the calls of a trace to a live endpoint, each when its player says, and measures
// every answer. One loop, one thread: what it costs is told beside what it measured.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "load/call_request.h"
#include "load/call_result.h"
#include "load/figures.h"
#include "load/player.h"
#include "load/probe.h"
#include "load/prompt_text.h"

namespace brigada {

class Tokenizer;

struct LoadOptions {
    LoadTarget target = {};
    PlayOptions play = {};
    Duration warm_up = {};                   // calls due before it is over are not measured
    Duration drain = Duration::seconds(30);  // for calls under way when the time is over
    uint32_t retries = 0;                    // of a call that failed, as SDKs do
    bool probes = true;
    bool uses_tools = true;
    const Tokenizer* tokenizer = nullptr;  // the model's; null: none is known
    std::string run_name = "load";         // begins the names of sessions: unique per run
};

/// What was measured, and how well.
struct LoadMeasurements {
    std::vector<CallResult> results = {};  // in the order in which they ended
    LogHistogram gaps = {};                // between tokens, of measured calls that finished
    LoadWindow window = {};
    ProbeFacts probe = {};
    double bytes_per_token = 0;                        // of our text
    bool exact_text = false;                           // a tokenizer counted it
    std::map<std::string, std::string> examples = {};  // of each cause of failure, in full
    bool interrupted = false;
    uint64_t held_back = 0;    // calls that were due and never sent: the limit on calls at once
    Duration longest_stall;    // of the generator's own loop
    Duration loop_cpu;         // that it used for the run
    uint64_t connections = 0;  // opened
};

/// Where a run stands, for a person who watches.
struct LoadProgress {
    Duration elapsed = {};
    uint64_t sent = 0, under_way = 0, finished = 0, failed = 0, sessions = 0;
    uint64_t output_tokens = 0;
    Duration ttft_p50 = {}, ttft_p90 = {}, worst_lateness = {};
    bool over = false;
};

class LoadRun {
  public:
    /// `trace` and the tokenizer outlive it. The trace is sound (see check_playable).
    LoadRun(const Trace& trace, LoadOptions options);
    ~LoadRun();

    /// Learns the endpoint's template; its calls are measured by nobody. Asks `stopped` now and
    /// then and gives up when it says so. Errors: what the endpoint answered to a plain call, so
    /// that a run that can only fail does not begin.
    Result<ProbeFacts> probe(const std::function<bool()>& stopped);

    /// Begins; after probe(), where there is one.
    void start();

    /// At most `patience`, until the run is over. Any thread but the loop's.
    LoadProgress wait(Duration patience);

    /// Sends nothing more and cuts off what is under way.
    void interrupt();

    /// Once it is over.
    LoadMeasurements take();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Error::invalid_argument for a trace that cannot be played: no session, a prompt longer than its
/// blocks, a parent that does not stand before.
Result<void> check_playable(const Trace& trace);

}  // namespace brigada
