#include "calibrate/uniform_load.h"

#include <algorithm>
#include <deque>

#include "base/check.h"

namespace brigada {

namespace {

/// Requests in step with each other: the same step gave all of them their first token.
struct Cohort {
    uint32_t requests = 0;
    uint32_t generated = 0;  // tokens of each
    Instant first_token;
};

/// Requests that were sent at the same time and wait.
struct Sent {
    Instant at;
    uint32_t requests = 0;
};

class UniformRun {
  public:
    UniformRun(const UniformLoad& load, const StepCost& cost) : load_(load), cost_(cost) {
        CHECK(load.prompt_tokens > 0 && load.output_tokens > 0 && load.requests > 0);
        CHECK(load.step_tokens > 0 && load.concurrency > 0 && load.max_running > 0);
        const uint64_t each = load.prompt_tokens + (load.output_tokens + 1) / 2;
        const uint64_t room = load.kv_tokens == 0 ? load.max_running : load.kv_tokens / each;
        places_ = static_cast<uint32_t>(std::clamp<uint64_t>(room, 1, load.max_running));
        places_ = std::min(places_, load.step_tokens);
        send(std::min(load.concurrency, load.requests));
    }

    UniformResult run() {
        while (done_ < load_.requests) {
            if (reads_now())
                mixed_step();
            else
                decode_steps();
            end_cohorts();
        }
        const auto count = static_cast<double>(load_.requests);
        const double gaps = count * (load_.output_tokens - 1);
        return {ttft_s_ / count, gaps > 0 ? decoding_s_ / gaps : 0,
                count * load_.output_tokens / (now_ - Instant()).seconds()};
    }

  private:
    bool reads_now() const { return !waiting_.empty() && running_ < places_; }

    void send(uint32_t requests) {
        requests = std::min(requests, load_.requests - sent_);
        if (requests == 0) return;
        sent_ += requests;
        waiting_.push_back({now_, requests});
    }

    StepShape decodes() const {
        StepShape shape;
        for (const Cohort& cohort : cohorts_) {
            shape.decodes += cohort.requests;
            shape.decode_context +=
                uint64_t{cohort.requests} * (load_.prompt_tokens + cohort.generated);
        }
        return shape;
    }

    /// One step that decodes, and reads prompts with what is left of its tokens.
    void mixed_step() {
        StepShape shape = decodes();
        uint64_t left = load_.step_tokens - std::min(load_.step_tokens, shape.decodes);
        uint32_t finished = 0;
        uint32_t places = places_ - running_;
        while (left > 0 && finished < places && finished < waiting_requests()) {
            const auto count =
                static_cast<uint32_t>(std::min<uint64_t>(left, load_.prompt_tokens - read_));
            shape.add_chunk(read_, count);
            left -= count;
            read_ += count;
            if (read_ < load_.prompt_tokens) break;
            read_ = 0;
            ++finished;
        }
        now_ = now_ + cost_.time(shape);
        for (Cohort& cohort : cohorts_)
            ++cohort.generated;
        begin_cohort(finished);
    }

    uint32_t waiting_requests() const {
        uint32_t sum = 0;
        for (const Sent& sent : waiting_)
            sum += sent.requests;
        return sum;
    }

    void begin_cohort(uint32_t requests) {
        if (requests == 0) return;
        cohorts_.push_back({requests, 1, now_});
        running_ += requests;
        while (requests > 0) {
            Sent& oldest = waiting_.front();
            const uint32_t taken = std::min(requests, oldest.requests);
            ttft_s_ += taken * (now_ - oldest.at).seconds();
            requests -= taken;
            oldest.requests -= taken;
            if (oldest.requests == 0) waiting_.pop_front();
        }
    }

    /// All steps up to the next end of a request: nothing else happens in between.
    void decode_steps() {
        CHECK(!cohorts_.empty());
        const uint32_t steps = load_.output_tokens - cohorts_.front().generated;  // the oldest
        now_ = now_ + cost_.run(decodes(), steps);
        for (Cohort& cohort : cohorts_)
            cohort.generated += steps;
    }

    void end_cohorts() {
        uint32_t ended = 0;
        while (!cohorts_.empty() && cohorts_.front().generated >= load_.output_tokens) {
            const Cohort& cohort = cohorts_.front();
            decoding_s_ += cohort.requests * (now_ - cohort.first_token).seconds();
            ended += cohort.requests;
            cohorts_.pop_front();
        }
        done_ += ended;
        running_ -= ended;
        if (load_.concurrency < load_.requests) send(ended);
    }

    const UniformLoad& load_;
    const StepCost& cost_;
    uint32_t places_ = 0;  // requests that run at once, at most
    Instant now_;
    std::deque<Sent> waiting_;    // the first of them may have been read in part
    uint32_t read_ = 0;           // tokens of it
    std::deque<Cohort> cohorts_;  // oldest first
    uint32_t running_ = 0;        // requests in them
    uint32_t sent_ = 0, done_ = 0;
    double ttft_s_ = 0, decoding_s_ = 0;  // sums over requests
};

}  // namespace

UniformResult run_uniform(const UniformLoad& load, const StepCost& cost) {
    return UniformRun(load, cost).run();
}

}  // namespace brigada
