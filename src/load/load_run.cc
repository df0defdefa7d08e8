#include "load/load_run.h"

#include <time.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <condition_variable>
#include <future>
#include <mutex>
#include <set>
#include <utility>

#include "base/concat.h"
#include "load/call_attempt.h"
#include "load/endpoint_probe.h"
#include "load/retry.h"
#include "load/stream_meter.h"
#include "net/signal.h"

namespace brigada {

namespace {

/// Of the thread that asks.
Duration thread_cpu() {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return Duration::nanoseconds(int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec);
}

uint32_t longest_prompt(const Trace& trace) {
    uint32_t out = 0;
    for (const TraceSession& session : trace.sessions)
        for (const TraceCall& call : session.calls)
            out = std::max(out, call.prompt_tokens);
    return out;
}

Instant later(Instant from, Duration by) {
    return by == Duration::max() ? Instant::never() : from + by;
}

}  // namespace

/// All but the mutex's: loop thread only.
struct LoadRun::State {
    State(const Trace& trace, LoadOptions options);
    ~State();

    Task<void> probe(std::promise<Result<ProbeFacts>>& answer);
    void begin();
    Task<void> play();
    Task<void> drain(Instant until);
    void stop();
    void finish_run();

    Task<void> call(DueCall due);
    Task<std::optional<CallFailure>> attempt_until_done(const DueCall& due, CallResult& result,
                                                        std::optional<StreamMeter>& meter);
    Task<void> pause(Duration time);
    CallResult begin_result(const DueCall& due) const;
    SessionName session_name(const DueCall& due) const;
    Result<std::string> body_of(const DueCall& due, const SessionName& who);
    void settle(const DueCall& due, CallResult result, StreamMeter& meter,
                const std::optional<CallFailure>& failure);
    void prepare_next(const DueCall& due);
    LoadProgress progress() const;

    const Trace& trace;
    LoadOptions options;
    BlockTexts blocks;
    PromptText text;
    TranscriptOptions transcript;
    Rng rng;

    std::unique_ptr<Player> player;
    std::map<uint64_t, std::unique_ptr<Transcript>> transcripts;  // by play
    std::set<Signal*> pauses;                                     // of retries
    uint64_t running = 0;                                         // calls begun and not settled
    bool stopping = false;  // nothing new is sent, what is under way is cut off
    Instant began, measured_from, end;
    Duration cpu_before;

    LoadMeasurements measured;
    LogHistogram ttft;
    uint64_t finished = 0, failed = 0, output_tokens = 0;
    Duration worst_lateness;

    std::mutex mutex;
    std::condition_variable over_changed;
    bool over = false;  // under the mutex

    Loop loop;
    std::unique_ptr<CallAttempts> attempts;
    std::unique_ptr<Signal> changed;
};

LoadRun::State::State(const Trace& t, LoadOptions o)
    : trace(t),
      options(std::move(o)),
      blocks(t),
      text(options.tokenizer ? PromptText(*options.tokenizer) : PromptText(1.0)),
      transcript{.uses_tools = options.uses_tools},
      rng(options.play.seed ^ 0x10ad),
      loop("load") {
    CHECK(loop.run([this] {
        attempts = std::make_unique<CallAttempts>(loop);
        changed = std::make_unique<Signal>(loop.executor());
    }));
}

LoadRun::State::~State() {
    (void)loop.run([this] { attempts.reset(); });
    loop.stop();
}

// From here on text is made to the server's measure. A tokenizer that counts otherwise than the
// server is not the model's: then estimates are better.
Task<void> LoadRun::State::probe(std::promise<Result<ProbeFacts>>& answer) {
    constexpr double kSlack = 0.02;  // of the right tokenizer, where texts meet
    const uint32_t longest = longest_prompt(trace);
    Result<ProbeFacts> facts =
        co_await probe_endpoint(*attempts, options.target, text, longest, transcript.uses_tools);
    if (facts.ok() && text.is_exact() && std::abs(facts->scale - 1) > kSlack) {
        text = PromptText(1.0);
        facts = co_await probe_endpoint(*attempts, options.target, text, longest,
                                        transcript.uses_tools);
        if (facts.ok()) facts->tokenizer_differs = true;
    }
    if (facts.ok()) {
        measured.probe = *facts;
        transcript.cost = facts->cost;
        transcript.uses_tools = transcript.uses_tools && !facts->tools_refused;
        if (facts->believed && !text.is_exact()) text = PromptText(facts->scale);
    }
    answer.set_value(std::move(facts));
}

void LoadRun::State::begin() {
    (void)loop.take_longest_stall();
    cpu_before = thread_cpu();
    began = loop.now();
    end = later(began, options.play.duration);
    measured_from = began + options.warm_up;
    measured.window.begin = measured_from;
    player = std::make_unique<Player>(trace, options.play, began);
    boost::asio::co_spawn(loop.context(), play(), boost::asio::detached);
}

// Sends what is due until nothing will be, then waits for what is under way.
Task<void> LoadRun::State::play() {
    while (!stopping && !player->over(loop.now())) {
        while (const auto due = player->take(loop.now())) {
            ++running;
            boost::asio::co_spawn(loop.context(), call(*due), boost::asio::detached);
        }
        const Instant next = std::min(player->next_due(), end);
        if (next == Instant::never())
            co_await changed->wait();
        else if (const Duration left = next - loop.now(); left > Duration())
            co_await changed->wait(left);
    }
    measured.window.end = std::min(end, loop.now());
    // Without an end in time, calls have the time they need.
    co_await drain(end == Instant::never() ? end : later(loop.now(), options.drain));
    finish_run();
}

Task<void> LoadRun::State::drain(Instant until) {
    while (running > 0) {
        const Instant now = loop.now();
        if (!stopping && now >= until) stop();
        if (stopping || until == Instant::never())
            co_await changed->wait();
        else
            co_await changed->wait(until - now);
    }
}

void LoadRun::State::stop() {
    stopping = true;
    attempts->abort_all();
    for (Signal* pause : pauses)
        pause->notify();
    changed->notify();
}

void LoadRun::State::finish_run() {
    // A run that ended because its trace was over is as long as its calls took.
    if (!measured.interrupted && end == Instant::never()) measured.window.end = loop.now();
    measured.held_back = player->held_back(measured.window.end);
    measured.loop_cpu = thread_cpu() - cpu_before;
    measured.connections = attempts->opened_connections();
    const std::lock_guard lock(mutex);
    over = true;
    over_changed.notify_all();
}

CallResult LoadRun::State::begin_result(const DueCall& due) const {
    const TraceSession& session = trace.sessions[due.session];
    const TraceCall& call = session.calls[due.call];
    return {.session = due.session,
            .call = due.call,
            .play = due.play,
            .sub_agent = session.parent.has_value(),
            .user = call.user,
            .in_window = due.due >= measured_from,
            .wanted_prompt = call.prompt_tokens,
            .wanted_output = call.output_tokens,
            .due = due.due,
            .began = loop.now()};
}

SessionName LoadRun::State::session_name(const DueCall& due) const {
    const bool is_agent = trace.sessions[due.session].parent.has_value();
    SessionName out{.session = concat(options.run_name, "-", due.root)};
    if (is_agent) out.agent = concat(options.run_name, "-", due.play);
    return out;
}

Result<std::string> LoadRun::State::body_of(const DueCall& due, const SessionName& who) {
    std::unique_ptr<Transcript>& at = transcripts[due.play];
    if (!at)
        at = std::make_unique<Transcript>(trace, trace.sessions[due.session], blocks, text,
                                          transcript, due.round);
    at->advance_to(due.call);
    return call_body(options.target, at->conversation(), who,
                     trace.sessions[due.session].calls[due.call].output_tokens);
}

// From due to settled.
Task<void> LoadRun::State::call(DueCall due) {
    CallResult result = begin_result(due);
    std::optional<StreamMeter> meter;
    const auto failure = co_await attempt_until_done(due, result, meter);
    settle(due, std::move(result), *meter, failure);
}

Task<std::optional<CallFailure>> LoadRun::State::attempt_until_done(
    const DueCall& due, CallResult& result, std::optional<StreamMeter>& meter) {
    const SessionName who = session_name(due);
    const HttpCall head = call_head(options.target, who);
    for (result.attempts = 1;; ++result.attempts) {
        meter.emplace(options.target.api, options.tokenizer);
        Result<std::string> body = body_of(due, who);
        if (!body.ok()) co_return failure_of(body.error());
        auto failure = co_await attempts->run(head, *std::move(body), result, *meter);
        if (!failure || !failure->retriable || result.attempts > options.retries) co_return failure;
        const auto wait = retry_after(failure->status, failure->headers, result.attempts, rng);
        if (wait && !stopping) co_await pause(*wait);
        if (!wait || stopping) co_return failure;
    }
}

Task<void> LoadRun::State::pause(Duration time) {
    Signal sleep(loop.executor());
    pauses.insert(&sleep);
    co_await sleep.wait(time);
    pauses.erase(&sleep);
}

// The books of a call that is over, and of the session it belongs to.
void LoadRun::State::settle(const DueCall& due, CallResult result, StreamMeter& meter,
                            const std::optional<CallFailure>& failure) {
    const Instant now = loop.now();
    LogHistogram nobody;
    if (!failure)
        result.outcome = CallOutcome::finished;
    else if (!stopping)
        result.outcome = CallOutcome::failed;
    meter.finish(result, result.finished() && result.in_window ? measured.gaps : nobody);
    if (result.outcome == CallOutcome::failed) {
        result.ended = now;
        result.cause = failure->cause;
        measured.examples.try_emplace(result.cause, failure->example);
        ++failed;
    }
    result.window_tokens = meter.tokens_between(measured_from, std::min(end, now));
    output_tokens += result.output_tokens;
    worst_lateness = std::max(worst_lateness, result.lateness().value_or(Duration()));
    if (result.finished()) {
        ++finished;
        if (const auto first = result.ttft()) ttft.add(*first);
    }
    if (result.finished() && result.usage_told && measured.probe.believed)
        transcripts.at(due.play)->correct(result.usage.prompt());
    player->ended(due.play, now, result.finished());
    measured.results.push_back(std::move(result));
    prepare_next(due);
    --running;
    changed->notify();
}

// The next prompt's text is made while nobody waits for it.
void LoadRun::State::prepare_next(const DueCall& due) {
    if (due.last || stopping)
        transcripts.erase(due.play);
    else
        transcripts[due.play]->advance_to(due.call + 1);
}

LoadProgress LoadRun::State::progress() const {
    return {.elapsed = player ? loop.now() - began : Duration(),
            .sent = player ? player->taken() : 0,
            .under_way = running,
            .finished = finished,
            .failed = failed,
            .sessions = player ? player->running_sessions() : 0,
            .output_tokens = output_tokens,
            .ttft_p50 = ttft.percentile(0.5),
            .ttft_p90 = ttft.percentile(0.9),
            .worst_lateness = worst_lateness};
}

// --- what is public ------------------------------------------------------------------------------

LoadRun::LoadRun(const Trace& trace, LoadOptions options)
    : state_(std::make_unique<State>(trace, std::move(options))) {}
LoadRun::~LoadRun() = default;

Result<ProbeFacts> LoadRun::probe(const std::function<bool()>& stopped) {
    constexpr Duration kLook = Duration::milliseconds(50);
    std::promise<Result<ProbeFacts>> answer;
    std::future<Result<ProbeFacts>> facts = answer.get_future();
    CHECK(state_->loop.spawn(state_->probe(answer)));
    bool gives_up = false;  // it may begin other calls
    while (facts.wait_for(kLook.chrono()) != std::future_status::ready) {
        gives_up = gives_up || stopped();
        if (gives_up) CHECK(state_->loop.run([this] { state_->attempts->abort_all(); }));
    }
    return facts.get();
}

void LoadRun::start() {
    CHECK(state_->loop.run([this] { state_->begin(); }));
}

LoadProgress LoadRun::wait(Duration patience) {
    bool over = false;
    {
        std::unique_lock lock(state_->mutex);
        state_->over_changed.wait_for(lock, patience.chrono(), [&] { return state_->over; });
        over = state_->over;
    }
    LoadProgress out;
    CHECK(state_->loop.run([&] { out = state_->progress(); }));
    out.over = over;
    return out;
}

void LoadRun::interrupt() {
    CHECK(state_->loop.run([this] {
        state_->measured.interrupted = true;
        state_->stop();
    }));
}

LoadMeasurements LoadRun::take() {
    LoadMeasurements out;
    CHECK(state_->loop.run([&] { out = std::move(state_->measured); }));
    out.longest_stall = state_->loop.take_longest_stall();
    out.bytes_per_token = state_->text.bytes_per_token();
    out.exact_text = state_->text.is_exact();
    return out;
}

}  // namespace brigada
