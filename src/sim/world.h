// World: virtual time. Clients play the sessions of a trace in a closed loop; the gateway's objects
// decide who is let in and where a call goes; replicas compute. Everything happens in one thread,
// in an order that depends on nothing but trace and setup.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "admit/class_queue.h"
#include "admit/limiter.h"
#include "route/router.h"
#include "sim/event_queue.h"
#include "sim/session_prompts.h"
#include "sim/sim_call.h"
#include "sim/simulate.h"
#include "sim/virtual_replica.h"

namespace brigada {

class World {
  public:
    /// A setup that check_setup() found good.
    /// `readers`: the policy among replicas that only read prompts; null: there are none.
    World(const Trace& trace, const SimSetup& setup, std::unique_ptr<Policy> policy,
          std::unique_ptr<Policy> readers, SimObserver* observer);

    SimReport run();

  private:
    static constexpr uint32_t kSlotBits = 24;  // of an id: 16M calls at once
    static constexpr uint64_t kSlotMask = (uint64_t{1} << kSlotBits) - 1;

    enum class Presence : uint8_t { serving, draining, gone };

    /// A place for a replica, with what was there before it was lost.
    struct Place {
        const SimReplica* kind = nullptr;
        std::unique_ptr<VirtualReplica> engine;  // null: gone
        Presence presence = Presence::gone;
        uint32_t life = 0;                     // how often it has started
        uint64_t version = 0;                  // of the event that ends its steps
        bool wakes = false;                    // an event is on its way
        Lane out{1};                           // to replicas that answer what was read here
        Instant loads_end = Instant::never();  // of the event that is on its way
        Instant paid_since;
        bool is_paid = false;
        Duration paid;
        Duration busy;  // of earlier lives
        std::vector<Duration> time_by_held_percent = std::vector<Duration>(101);
        SchedulerStats scheduler;
        KvStats kv;
        KvLoadStats loads;
    };

    /// Where the session's last sequence at a replica ended there.
    struct Kept {
        KvCursor cursor;
        uint32_t place = 0;
        uint32_t life = 0;
    };

    struct SessionState {
        SessionPrompts prompts;
        uint32_t next_call = 0;
        uint32_t children = 0;  // sub-agents that are not done
        bool waits_for_children = false;
        Instant answered;  // the call before
        Instant turn_began;
        Kept kept;
        Kept kept_by_reader;  // of its prompt
    };

    /// A call from its first sending to its end. `id` is of the present try at one upstream; its
    /// low bits are the slot.
    struct LiveCall {
        uint64_t id = 0;  // 0: the slot is free
        uint32_t session = 0;
        uint32_t tries = 0;
        std::optional<AskId> ask;  // its place in the queue or its slot
        std::optional<uint32_t> place;
        std::optional<uint32_t> answers_at;  // while another place reads its prompt
        std::optional<uint32_t> read_at;     // where that was
        uint32_t cached_here = 0;            // tokens that the replica which answers had itself
        bool has_first_token = false;
        uint64_t sent_number = 0;      // of the present sending, for timeouts; 0: waits to be sent
        uint64_t number = 0;           // of the call, where its user may interrupt it
        bool was_interrupted = false;  // while it waited to be sent
        std::optional<RateReservation> rate;
        bool was_taken = false;  // by a replica, in the present sending
        SimCall record;
    };

    // Events.
    void handle(const Event& event);
    void send(uint32_t session);
    void steps_end(uint32_t place);
    void loads_end(uint32_t place);
    void wake(uint32_t place);
    void fault(const SimFault& fault);
    void queue_deadline();
    void time_out(uint32_t slot);
    void interrupt(uint32_t slot);
    void rollout(const Event& event);
    void look();

    // The life of a call.
    void offer(uint32_t slot);
    bool is_within_limits(uint32_t slot);
    void settle_rate(uint32_t slot, int64_t tokens);
    std::span<const UpstreamId> eligible_for(uint32_t model, const std::vector<UpstreamId>& among);
    void leave_line(uint32_t slot);
    void route(uint32_t slot);
    void submit(uint32_t slot, const Call& call, uint32_t place);
    void not_taken(uint32_t slot);
    void first_token(uint32_t slot, const VirtualReplica::FirstToken& first);
    void answered(uint32_t slot, const KvCursor& cursor);
    void end_at_routers(uint32_t slot, Ending ending);
    void leave_upstream(uint32_t slot, Ending ending);
    void try_failed(uint32_t slot, std::optional<Duration> retry_after);
    void give_up(uint32_t slot);
    void leave_queue(uint32_t slot);
    void apply(const Moved& moved);
    void reclaim();
    void over(uint32_t slot);
    void close(uint32_t slot);

    // Users who change their minds.
    void expect_interrupt(uint32_t slot);
    void interrupted(uint32_t slot);
    void skip_turn(uint32_t session);
    void skip_children(uint32_t session, uint32_t call);

    // Prefill and decode apart.
    Router& router_at(uint32_t place);
    std::vector<UpstreamId>& eligible_at(uint32_t place);
    bool is_read_elsewhere(const LiveCall& live, uint32_t answers_at);
    void read(uint32_t slot, const Call& call, uint32_t answers_at);
    void prompt_read(uint32_t slot, const KvCursor& cursor);
    void take_cause(SimCall& record, const CallReport& told) const;
    Kept& kept_of(const LiveCall& live);

    // Sessions.
    void begin_children(uint32_t session, uint32_t call);
    void call_over(uint32_t session);
    void go_on(uint32_t session);
    void session_over(uint32_t session);
    void schedule_next(uint32_t session);
    void turn_over(uint32_t session);

    // Replicas.
    void start(uint32_t place);
    void lose(uint32_t place);
    void drain(uint32_t place);
    void retire(uint32_t place);
    void roll_on(uint32_t place);
    void restart(uint32_t place);
    void count_in(Place& place) const;
    void catch_up(uint32_t place);
    void await_loads(uint32_t place);
    void wake_soon(uint32_t place);
    void autoscale();
    void sample();

    static uint32_t slot_of(SequenceId id) { return static_cast<uint32_t>(raw(id) & kSlotMask); }
    uint64_t new_id(uint32_t slot) { return next_number_++ << kSlotBits | slot; }
    uint32_t new_slot();
    Call call_of(uint32_t slot) const;
    Duration delay_before(const LiveCall& call, std::optional<Duration> retry_after) const;
    const TraceSession& trace_session(uint32_t session) const { return trace_.sessions[session]; }
    void note(uint64_t a, uint64_t b);
    void tell(uint32_t place, std::string_view what);
    void prove() const;
    SimReport report();
    void add_replicas(SimReport& report, Instant first, Instant last);
    void add_tiers(SimReport& report) const;
    void add_transfers(SimReport& report) const;

    const Trace& trace_;
    const SimSetup& setup_;
    SimObserver* observer_;
    EventQueue events_;
    Instant now_;
    Router router_;
    std::optional<Router> readers_;  // among replicas that only read prompts
    std::optional<ClassQueue> queue_;
    std::optional<Limiter> limiter_;
    bool has_pools_ = false;                     // some replicas serve only some models
    std::vector<UpstreamId> pool_;               // of the call that is being routed
    std::optional<uint32_t> rolling_;            // the replica that is being updated
    Instant queue_deadline_ = Instant::never();  // of the event that is on its way
    std::unordered_map<AskId, uint32_t> asks_;
    std::vector<Place> places_;
    std::vector<UpstreamId> eligible_;
    std::vector<UpstreamId> eligible_readers_;
    std::vector<SessionState> sessions_;
    std::vector<std::vector<uint32_t>> children_;  // of each session
    std::vector<LiveCall> calls_;
    std::vector<uint32_t> free_slots_;
    uint64_t next_number_ = 1;
    uint32_t next_name_;
    uint32_t starting_ = 0;  // replicas that the autoscaler has ordered
    Instant scaled_at_;
    uint64_t retries_ = 0;
    uint64_t too_large_ = 0;
    uint64_t skipped_ = 0;
    uint64_t over_limits_ = 0;
    double rollout_s_ = 0;
    Instant began_ = Instant::never();  // the first call, reported or not
    uint64_t digest_ = 0;
    std::vector<SimCall> records_;
    std::vector<double> turns_s_;
    std::vector<SimSample> series_;
};

}  // namespace brigada
