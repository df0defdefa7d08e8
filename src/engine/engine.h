// Engine: the shell around scheduler and runner. One thread takes requests from a mailbox, asks the
// scheduler for a plan, runs it, samples, and sends events. Everything else talks to it by
// messages.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>

#include "base/mailbox.h"
#include "base/time.h"
#include "engine/active_request.h"
#include "engine/grammar_book.h"
#include "engine/observer.h"
#include "engine/request.h"
#include "engine/runner.h"
#include "sched/scheduler.h"
#include "tokens/tokenizer.h"

namespace brigada {

struct EngineConfig {
    SchedulerConfig sched;
    KvConfig kv;
    size_t mailbox = 4096;  // messages on their way to the engine; more are refused
    uint64_t seed = 0;      // of requests that name none
};

class Engine {
  public:
    /// The runner must have room for config.kv.blocks blocks and config.sched.step_tokens rows.
    /// `observer` may be null.
    Engine(const EngineConfig& config, std::unique_ptr<StepRunner> runner,
           const AnswerContext& answers, EngineObserver* observer);

    /// As stop().
    ~Engine();

    /// Hands a request in; its events follow through its sink, the scheduler's refusal too. Any
    /// thread. Error::exhausted when the mailbox is full, ::unavailable after stop().
    Result<RequestId> submit(EngineRequest request);

    /// The client is gone: no more events, and the blocks are free by the next step. Any thread.
    void cancel(RequestId id);

    /// As it was after the last step. Any thread.
    EngineSnapshot snapshot() const;

    /// Queues and blocks as text; `answer` is called on the engine's thread. False when the mailbox
    /// is full or closed.
    [[nodiscard]] bool describe(std::function<void(std::string)> answer);

    /// Ends the thread after the step at hand; requests that are not done fail with ::unavailable.
    void stop();

    /// Tokens of prompt and answer.
    uint32_t max_context() const { return max_context_; }

  private:
    struct Submit {
        RequestId id;
        EngineRequest request;
    };
    struct Cancel {
        RequestId id;
    };
    struct Describe {
        std::function<void(std::string)> answer;
    };
    using Message = std::variant<Submit, Cancel, Describe>;

    // On the engine's thread.
    void run();
    void receive();
    void step();
    void on(Submit message);
    void on(Cancel message);
    void on(Describe message);
    void fail_expired(const Plan& plan);
    void note_begun(const Plan& plan, Instant now);
    Outcome sample(const Plan& plan, const StepLogits& logits, Instant now);
    Sampled sample_one(SequenceId sequence, std::span<float> logits, Instant now);
    void finish(std::span<const Finished> finished, Instant now);
    void fail(RequestId id, Error error);
    void fail_all(const Error& error);
    void forget(RequestId id);
    void publish(Instant now);
    ActiveRequest& owner(SequenceId sequence);

    const Clock clock_;
    const AnswerContext answers_;
    const uint32_t max_context_;
    EngineObserver nobody_;
    EngineObserver& observer_;
    Mailbox<Message> mailbox_;
    std::atomic<uint64_t> next_request_ = 1;

    // The engine thread's own.
    Scheduler sched_;
    std::unique_ptr<StepRunner> runner_;
    GrammarBook grammars_;
    Rng seeds_;
    uint64_t next_sequence_ = 1;
    std::map<RequestId, ActiveRequest> requests_;
    std::unordered_map<SequenceId, RequestId> owners_;
    EngineSnapshot counts_;
    std::vector<float> fork_logits_;
    bool blocked_ = false;  // the last plan was empty although there is work

    mutable std::mutex snapshot_mutex_;
    EngineSnapshot snapshot_;

    std::thread thread_;
};

}  // namespace brigada
