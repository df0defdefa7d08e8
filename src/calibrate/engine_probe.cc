#include "calibrate/engine_probe.h"

#include <algorithm>
#include <future>

#include "base/rng.h"
#include "calibrate/plan_shape.h"

namespace brigada {

namespace {

constexpr uint32_t kAnswer = 12;  // tokens: enough steps of one shape for a median
constexpr uint32_t kShortContext = 64;

/// Notes every step, from its plan to its commit. It is the engine thread's until that has ended.
class StepRecorder : public EngineObserver {
  public:
    void planned(const Plan& plan, const Scheduler& scheduler) override {
        shape_ = plan_shape(plan, scheduler);
        begun_ = clock_.now();
    }
    void step(uint32_t, Duration) override { steps_.push_back({shape_, clock_.now() - begun_}); }

    std::vector<TimedStep> take() { return std::move(steps_); }

  private:
    Clock clock_;
    StepShape shape_;
    Instant begun_;
    std::vector<TimedStep> steps_;
};

/// Fulfils a promise with how a request ended.
EventSink sink_to(std::shared_ptr<std::promise<Result<void>>> ended) {
    return [ended = std::move(ended)](EngineEvent event) {
        if (std::holds_alternative<RequestFinished>(event)) ended->set_value({});
        if (auto* failed = std::get_if<RequestFailed>(&event))
            ended->set_value(std::move(failed->error));
    };
}

class Probe {
  public:
    Probe(Engine& engine, uint32_t vocab, const ProbeOptions& options,
          const std::function<void(std::string)>& tell)
        : engine_(engine), vocab_(vocab), options_(options), tell_(tell), rng_(options.seed) {
        longest_ = std::min(options.longest_context, engine.max_context() - 2 * kAnswer);
    }

    Result<uint32_t> run() {
        const Instant end = clock_.now() + options_.time;
        uint32_t rounds = 0;
        for (; rounds == 0 || clock_.now() < end; ++rounds) {
            TRY(prompts_alone());
            TRY(decodes(rounds == 0 ? Instant::never() : end));
            TRY(prompts_beside_decodes());
        }
        return rounds;
    }

  private:
    using Ended = std::future<Result<void>>;

    Tokens tokens(uint32_t count) {
        Tokens out(count);
        for (TokenId& token : out)
            token = TokenId{static_cast<uint32_t>(rng_.below(vocab_))};
        return out;
    }

    Result<Ended> ask(Tokens prompt, uint32_t answer) {
        auto promise = std::make_shared<std::promise<Result<void>>>();
        Ended ended = promise->get_future();
        EngineRequest request;
        request.prompt = std::move(prompt);
        request.stop.ignore_eos = true;
        request.stop.max_tokens = answer;
        request.received = clock_.now();
        request.sink = sink_to(std::move(promise));
        TRY(engine_.submit(std::move(request)));
        return ended;
    }

    static Result<void> wait(std::vector<Ended>& all) {
        for (Ended& one : all)
            TRY(one.get());
        return {};
    }

    /// Cold prompts: a long one, in chunks at growing depth, and short ones.
    Result<void> prompts_alone() {
        tell_(concat("reading a prompt of ", longest_, " tokens"));
        base_ = tokens(longest_);
        std::vector<uint32_t> sizes = {longest_};
        for (const uint32_t size : {32u, 100u, 250u, 400u})
            if (size < longest_) sizes.push_back(size);
        for (const uint32_t size : sizes) {
            std::vector<Ended> all;
            TRY(Ended ended, ask(size == longest_ ? base_ : tokens(size), 4));
            all.push_back(std::move(ended));
            TRY(wait(all));
        }
        return {};
    }

    /// What each of several reads is its own: an engine may read for all of them what they share.
    const Tokens& base(uint32_t number, uint32_t context) {
        if (number == 0) return base_;
        bases_.resize(std::max<size_t>(bases_.size(), number));
        Tokens& own = bases_[number - 1];
        const uint32_t has = static_cast<uint32_t>(own.size());
        if (has < context) {
            const Tokens more = tokens(context - has);
            own.insert(own.end(), more.begin(), more.end());
        }
        return own;
    }

    /// Answers of several at once, whose prompts are cached but for the first time. Long ones in
    /// small company: reading eight of them takes longer than all the rest.
    Result<void> decodes(Instant end) {
        for (const uint32_t context :
             {std::min(kShortContext, longest_), longest_ / 4, longest_ / 2, longest_}) {
            for (const uint32_t batch : options_.batches) {
                if (clock_.now() > end) return {};
                if (context > longest_ / 4 && batch > 2) break;
                tell_(concat("answering ", batch, " at ", context, " tokens"));
                std::vector<Ended> all;
                for (uint32_t i = 0; i < batch; ++i) {
                    const Tokens& own = base(i, context);
                    Tokens prompt(own.begin(), own.begin() + context);
                    prompt.back() = tokens(1).front();
                    TRY(Ended ended, ask(std::move(prompt), kAnswer));
                    all.push_back(std::move(ended));
                }
                TRY(wait(all));
            }
        }
        return {};
    }

    /// A cold prompt is read while others answer.
    Result<void> prompts_beside_decodes() {
        tell_("reading prompts while others answer");
        std::vector<Ended> all;
        for (const uint32_t batch : options_.batches) {
            for (uint32_t i = 0; i < batch; ++i) {
                TRY(Ended ended, ask(tokens(std::min(kShortContext, longest_)), kAnswer));
                all.push_back(std::move(ended));
            }
            TRY(Ended ended, ask(tokens(std::min(600u, longest_)), 2));
            all.push_back(std::move(ended));
            TRY(wait(all));
            all.clear();
        }
        return {};
    }

    Engine& engine_;
    uint32_t vocab_;
    const ProbeOptions& options_;
    const std::function<void(std::string)>& tell_;
    Rng rng_;
    Clock clock_;
    uint32_t longest_ = 0;
    Tokens base_;                // of the longest prompt
    std::vector<Tokens> bases_;  // those of others beside it
};

}  // namespace

Result<ProbeResult> probe_engine(const Model& model, const EngineOptions& engine,
                                 const ProbeOptions& options,
                                 const std::function<void(std::string)>& tell) {
    StepRecorder recorder;
    TRY(StartedEngine started, start_engine(model, engine, &recorder, {}));
    if (started.facts.max_context < 4 * kAnswer)
        return Error{Code::invalid_argument,
                     concat("a context of ", started.facts.max_context,
                            " tokens is too short to be measured; ", 4 * kAnswer, " would do")};
    ProbeResult out;
    out.facts = started.facts;
    TRY(out.rounds, Probe(*started.engine, model.config().vocab, options, tell).run());
    started.engine->stop();
    out.steps = recorder.take();
    return out;
}

}  // namespace brigada
