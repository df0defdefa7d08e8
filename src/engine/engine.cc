#include "engine/engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace brigada {

namespace {

/// How long an idle engine sleeps before it republishes its snapshot.
constexpr Duration kIdleWait = Duration::milliseconds(200);

/// How long it waits when there is work but none of it can be planned.
constexpr Duration kBlockedWait = Duration::milliseconds(1);

Error dead_end() {
    return {Code::unsupported,
            "the vocabulary of this model has no token for what the grammar wants next"};
}

}  // namespace

Engine::Engine(const EngineConfig& config, std::unique_ptr<StepRunner> runner,
               const AnswerContext& answers, EngineObserver* observer)
    : answers_(answers),
      max_context_(config.sched.max_context),
      observer_(observer ? *observer : nobody_),
      mailbox_(config.mailbox),
      sched_(config.sched, config.kv),
      runner_(std::move(runner)),
      grammars_(answers.tokenizer),
      seeds_(config.seed) {
    publish(clock_.now());
    thread_ = std::thread([this] { run(); });
}

Engine::~Engine() {
    stop();
}

Result<RequestId> Engine::submit(EngineRequest request) {
    const RequestId id{next_request_++};
    if (mailbox_.try_send(Submit{id, std::move(request)})) return id;
    if (mailbox_.closed()) return Error{Code::unavailable, "the engine is stopping"};
    return Error{Code::exhausted, "the engine's mailbox is full; retry in a second"};
}

void Engine::cancel(RequestId id) {
    // A full box only delays it: the sink's owner goes on ignoring events, and nothing is lost.
    while (!mailbox_.try_send(Cancel{id}) && !mailbox_.closed())
        std::this_thread::yield();
}

bool Engine::describe(std::function<void(std::string)> answer) {
    return mailbox_.try_send(Describe{std::move(answer)});
}

EngineSnapshot Engine::snapshot() const {
    std::lock_guard lock(snapshot_mutex_);
    return snapshot_;
}

void Engine::stop() {
    mailbox_.close();
    if (thread_.joinable()) thread_.join();
}

void Engine::run() {
    while (!mailbox_.closed()) {
        receive();
        step();
        publish(clock_.now());
    }
    receive();
    fail_all({Code::unavailable, "the engine is stopping"});
    publish(clock_.now());
}

void Engine::receive() {
    auto messages = sched_.idle() ? mailbox_.wait_all(kIdleWait)
                    : blocked_    ? mailbox_.wait_all(kBlockedWait)
                                  : mailbox_.take_all();
    for (Message& message : messages)
        std::visit([this](auto& m) { on(std::move(m)); }, message);
}

void Engine::step() {
    if (sched_.idle()) return;
    const Instant start = clock_.now();
    const Plan plan = sched_.plan(start);
    fail_expired(plan);
    note_begun(plan, start);
    observer_.planned(plan, sched_);
    const StepLogits logits = runner_->run(plan, sched_);
    const Instant now = clock_.now();
    const Outcome outcome = sample(plan, logits, now);
    const std::vector<Finished> finished = sched_.commit(plan, outcome, now);
    finish(finished, now);
    blocked_ = plan.empty();
    if (!blocked_) observer_.step(plan.tokens(), now - start);
}

void Engine::on(Submit message) {
    const SequenceId first{next_sequence_};
    next_sequence_ += message.request.choices;
    const uint32_t left =
        max_context_ -
        std::min<uint32_t>(max_context_, static_cast<uint32_t>(message.request.prompt.size()));
    const std::shared_ptr<GrammarMasks> masks =
        grammars_.masks_of(message.request.grammar, message.request.shown_controls);
    ActiveRequest request(answers_, std::move(message.request), first, seeds_.next(), masks);
    if (masks && !masks->allowed(masks->start(answers_.tokenizer.strips_first_space())).first()) {
        ++counts_.requests_failed;
        request.fail(dead_end());
        return;
    }
    if (auto queued = sched_.submit(request.take_spec(left), clock_.now()); !queued.ok()) {
        ++counts_.requests_failed;
        request.fail(std::move(queued).error());
        return;
    }
    for (uint32_t i = 0; i < request.choices(); ++i)
        owners_.emplace(request.sequence(i), message.id);
    requests_.emplace(message.id, std::move(request));
}

void Engine::on(Cancel message) {
    if (!requests_.contains(message.id)) return;  // it ended meanwhile
    ++counts_.requests_cancelled;
    forget(message.id);
}

void Engine::on(Describe message) {
    message.answer(sched_.describe(clock_.now()));
}

void Engine::fail_expired(const Plan& plan) {
    for (SequenceId sequence : plan.expired)
        if (auto it = owners_.find(sequence); it != owners_.end())
            fail(it->second, {Code::deadline, "waited in the queue past the request's deadline"});
}

void Engine::note_begun(const Plan& plan, Instant now) {
    for (const Chunk& chunk : plan.chunks)
        owner(chunk.sequence).begin(sched_.sequence(chunk.sequence), now);
}

/// One token per chunk that samples, then one per fork it gives birth to, from the same logits.
Outcome Engine::sample(const Plan& plan, const StepLogits& logits, Instant now) {
    Outcome outcome;
    size_t row = 0;
    for (const Chunk& chunk : plan.chunks) {
        if (!chunk.samples) continue;
        const std::span<float> shared = logits.row(row++);
        for (uint32_t fork = chunk.forks; fork > 0; --fork) {  // drawing overwrites: forks copy
            fork_logits_.assign(shared.begin(), shared.end());
            const SequenceId sequence{raw(chunk.sequence) + fork};
            outcome.sampled.push_back(sample_one(sequence, fork_logits_, now));
        }
        outcome.sampled.push_back(sample_one(chunk.sequence, shared, now));
    }
    return outcome;
}

Sampled Engine::sample_one(SequenceId sequence, std::span<float> logits, Instant now) {
    ActiveRequest& request = owner(sequence);
    const uint32_t choice = request.choice_of(sequence);
    const bool first = !request.first_token_at();
    const auto last = request.last_token_at(choice);
    const Sampled sampled = request.sample(choice, logits, now);
    if (first) counts_.prompt_tokens += request.usage().prompt_tokens;
    if (first) observer_.first_token(now - request.received());
    if (last) observer_.next_token(now - *last);
    ++counts_.generated_tokens;
    return sampled;
}

void Engine::finish(std::span<const Finished> finished, Instant now) {
    for (const Finished& end : finished) {
        ++(end.reason == Finish::stop ? counts_.requests_stopped : counts_.requests_length);
        const auto owner = owners_.find(end.sequence);
        if (owner == owners_.end()) continue;  // its request failed with another choice
        const RequestId id = owner->second;
        ActiveRequest& request = requests_.at(id);
        if (request.at_dead_end(request.choice_of(end.sequence))) {
            fail(id, dead_end());
            continue;
        }
        request.finish(request.choice_of(end.sequence), now);
        owners_.erase(end.sequence);
        if (!request.done()) continue;
        observer_.finished(request.usage(), now - request.received());
        requests_.erase(id);
    }
}

void Engine::fail(RequestId id, Error error) {
    ++counts_.requests_failed;
    requests_.at(id).fail(std::move(error));
    forget(id);
}

void Engine::fail_all(const Error& error) {
    while (!requests_.empty())
        fail(requests_.begin()->first, error);
}

/// Ends what is left of a request, without an event.
void Engine::forget(RequestId id) {
    const auto it = requests_.find(id);
    for (uint32_t i = 0; i < it->second.choices(); ++i) {
        sched_.cancel(it->second.sequence(i));
        owners_.erase(it->second.sequence(i));
    }
    requests_.erase(it);
}

void Engine::publish(Instant now) {
    counts_.sched = sched_.stats();
    counts_.kv = sched_.kv().stats();
    counts_.kv_blocks = sched_.kv().total_blocks();
    counts_.kv_block_tokens = sched_.kv().block_tokens();
    counts_.kv_held_blocks = sched_.kv().held_blocks();
    counts_.kv_cached_blocks = sched_.kv().cached_blocks();
    counts_.stalled = sched_.stalled(now);
    std::lock_guard lock(snapshot_mutex_);
    snapshot_ = counts_;
}

ActiveRequest& Engine::owner(SequenceId sequence) {
    return requests_.at(owners_.at(sequence));
}

}  // namespace brigada
