// Player: which call of a trace is due when: sessions that begin by a rule (so many at once, at a
// rate, or when they were recorded), calls that follow the answer of the one before, sub-agents
// that their parent waits for. The load generator asks it with the real clock, tests with a made-up
// one.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "base/time.h"
#include "load/arrivals.h"
#include "trace/trace.h"

namespace brigada {

enum class Pace : uint8_t {
    closed,    // `sessions` at once; when one is over the next begins
    open,      // sessions begin at `arrivals`, however many run
    recorded,  // sessions begin when the trace says
};

struct PlayOptions {
    Pace pace = Pace::closed;
    uint32_t sessions = 1;      // of Pace::closed, at least 1
    ArrivalRate arrivals = {};  // of Pace::open
    Duration ramp = {};         // of Pace::closed: the first sessions begin spread over this time
    double time_scale = 1;      // recorded starts and gaps times this
    Duration max_gap = Duration::max();   // longer gaps, already scaled, are cut to this
    uint32_t concurrency = 0;             // calls under way at once; 0: any number
    Duration duration = Duration::max();  // no call is due later
    uint64_t max_calls = UINT64_MAX;
    bool repeats = true;       // after its last session the trace begins anew; not when recorded
    bool mid_session = false;  // Pace::closed: the first sessions begin at a call drawn from theirs
    /// At least so long after a call that failed: nobody hammers a server that refuses.
    Duration pause_after_failure = Duration::seconds(1);
    uint64_t seed = 1;
};

/// A call that is to be sent. `play` is the running session: numbers are never used twice.
struct DueCall {
    uint64_t play = 0;
    uint64_t root = 0;     // the play that a sub-agent works for in the end; else `play`
    uint32_t session = 0;  // index into Trace::sessions
    uint32_t call = 0;     // index into its calls
    uint32_t round = 0;    // how often the trace had been played through before
    Instant due;
    bool last = false;  // of this play
    bool operator==(const DueCall&) const = default;
};

class Player {
  public:
    /// `trace` outlives the player and has at least one session without a parent, each with at
    /// least one call (CHECK). Nothing is due before `start`.
    Player(const Trace& trace, PlayOptions options, Instant start);

    /// When take() has something next; never() when that depends on an answer.
    Instant next_due() const;

    /// The call that has been due longest at `now`, if the limit on calls under way lets it go.
    std::optional<DueCall> take(Instant now);

    /// The call of this play that was taken has its answer, or none.
    void ended(uint64_t play, Instant now, bool went_well);

    /// Whether nothing will be due any more, whatever is still answered.
    bool over(Instant now) const;

    /// Calls that are due at `now` and were not taken: the limit on calls under way held them back.
    uint64_t held_back(Instant now) const;

    uint64_t taken() const { return taken_; }
    uint32_t under_way() const { return under_way_; }
    uint64_t running_sessions() const { return plays_.size(); }

    /// Proves the books: calls under way and due against plays, children against parents.
    void check() const;

  private:
    struct Play {
        uint32_t session = 0;
        uint32_t call = 0;  // the one that is due, or under way
        uint32_t round = 0;
        uint64_t parent = 0;  // a play; 0: none
        uint64_t root = 0;
        uint32_t children = 0;
        bool sent = false;
        bool answered_all = false;  // its own calls are over, a child still runs
        bool failed = false;        // the last of its calls that ended
        Instant ready;              // with children: when its gap is over
    };
    using Due = std::pair<Instant, uint64_t>;  // the play breaks ties

    void begin_first_sessions();
    void begin_root(Instant at, bool mid_session);
    uint64_t begin(uint32_t session, uint32_t call, uint32_t round, uint64_t parent, Instant at);
    void begin_children(uint64_t play, Instant now);
    void make_due(uint64_t play, Instant at);
    void finish(uint64_t play, Instant now);
    void plan_arrival();
    bool has_next_root() const;
    Duration scaled(Duration recorded) const;
    Duration gap_before(const TraceCall& call, bool went_well) const;

    const Trace& trace_;
    PlayOptions options_;
    Instant start_, end_;
    Rng rng_;
    Arrivals arrivals_;
    std::vector<uint32_t> roots_;  // sessions without a parent
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> children_;  // by session, call
    Instant recorded_begin_;  // of the earliest root
    uint64_t begun_roots_ = 0;
    uint64_t next_play_ = 1;
    Instant next_arrival_ = Instant::never();  // of open and recorded: of the next root
    std::map<uint64_t, Play> plays_;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
    uint64_t taken_ = 0;
    uint32_t under_way_ = 0;
};

}  // namespace brigada
