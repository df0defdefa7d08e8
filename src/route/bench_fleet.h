// Fleet: replicas in virtual time behind a Router, to compare policies. A replica reads prompts one
// after the other, keeps their KV with the least recently used leaf going first, and decodes slower
// the more it decodes at once. What is cached is found out when a prompt's turn comes.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <queue>
#include <vector>

#include "route/bench_traces.h"
#include "route/held_blocks.h"
#include "route/router.h"

namespace brigada {

struct FleetResult {
    double hit_rate = 0;     // prompt tokens found cached
    double spread = 0;       // reading done by the busiest replica, over the mean
    double ttft_mean_s = 0;  // from arrival: queue and reading
    double ttft_p90_s = 0;
    double elsewhere_rate = 0;  // of all calls, those whose KV was at another replica
    double evicted_rate = 0;    // of all calls, those whose KV had been evicted
};

class Fleet {
  public:
    Fleet(const Trace& trace, std::unique_ptr<Policy> policy, uint32_t replicas,
          const UpstreamFacts& facts)
        : trace_(trace), facts_(facts), router_(std::move(policy), {}, Rng(1)) {
        for (uint32_t i = 0; i < replicas; ++i) {
            ids_.push_back(UpstreamId{i});
            replicas_.emplace_back(facts.kv_blocks, i);
            UpstreamFacts named = facts;
            named.name = mix(i, 99);
            router_.add(ids_.back(), named);
        }
    }

    FleetResult run() {
        for (const TracedSession& session : trace_.sessions)
            arrive_after(Instant(), session, 0);
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            step(event);
        }
        router_.check();
        return result();
    }

  private:
    enum class What { arrival, first_token, end };

    struct Attempt {
        const TracedSession* session = nullptr;
        size_t index = 0;  // of the call in its session
        Instant arrived = {};
        UpstreamId upstream = {};
        int64_t cached_tokens = 0;
    };

    struct Event {
        Instant at;
        uint64_t order = 0;
        What what{};
        size_t attempt = 0;                      // an arrival makes one
        const TracedSession* session = nullptr;  // of an arrival
        size_t index = 0;
        friend bool operator>(const Event& a, const Event& b) {
            return std::pair(a.at, a.order) > std::pair(b.at, b.order);
        }
    };

    struct Replica {
        Replica(uint32_t kv_blocks, uint64_t salt) : holders(salt), kv(kv_blocks, holders) {}

        BlockHolders holders;
        HeldBlocks kv;
        std::deque<size_t> waiting = {};
        bool reads = false;
        int64_t read_tokens = 0;
    };

    Call call_of(size_t number) const {
        const Attempt& attempt = attempts_[number];
        const TracedCall& traced = attempt.session->calls[attempt.index];
        return {.id = CallId{number},
                .session = attempt.session->id,
                .model = traced.model,
                .keys = traced.keys,
                .block_tokens = trace_.block_tokens,
                .prompt_tokens = traced.prompt_tokens};
    }

    void happens(Instant at, What what, size_t attempt) {
        events_.push({.at = at, .order = order_++, .what = what, .attempt = attempt});
    }

    void arrive_after(Instant now, const TracedSession& session, size_t index) {
        if (index == session.calls.size()) return;
        events_.push({.at = now + session.calls[index].pause,
                      .order = order_++,
                      .what = What::arrival,
                      .session = &session,
                      .index = index});
    }

    void step(const Event& event) {
        switch (event.what) {
            case What::arrival:
                arrive(event);
                break;
            case What::first_token:
                first_token(event.attempt, event.at);
                break;
            case What::end:
                end(event.attempt, event.at);
        }
    }

    void arrive(const Event& event) {
        const size_t number = attempts_.size();
        attempts_.push_back({.session = event.session, .index = event.index, .arrived = event.at});
        const Call call = call_of(number);
        const UpstreamId upstream = router_.choose(call, ids_, event.at)->upstream;
        attempts_[number].upstream = upstream;
        router_.accepted(call);
        Replica& replica = replicas_[raw(upstream)];
        replica.waiting.push_back(number);
        if (!replica.reads) read_next(replica, event.at);
    }

    void read_next(Replica& replica, Instant now) {
        replica.reads = !replica.waiting.empty();
        if (!replica.reads) return;
        const size_t number = replica.waiting.front();
        replica.waiting.pop_front();
        const Call call = call_of(number);
        const int64_t cached = tokens_in(call, replica.kv.match(call.keys));
        replica.kv.insert(call.keys);
        replica.read_tokens += call.prompt_tokens - cached;
        attempts_[number].cached_tokens = cached;
        happens(now + reading_time(facts_, call.prompt_tokens - cached), What::first_token, number);
    }

    void first_token(size_t number, Instant now) {
        const Attempt& attempt = attempts_[number];
        router_.first_token(CallId{number}, now);
        ttft_s_.push_back((now - attempt.arrived).seconds());
        read_next(replicas_[raw(attempt.upstream)], now);
        const int64_t peers = router_.load(attempt.upstream).decoding() - 1;
        const Duration step = facts_.decode_per_token + facts_.decode_per_peer * peers;
        const int64_t tokens = attempt.session->calls[attempt.index].output_tokens;
        happens(now + step * tokens, What::end, number);
    }

    void end(size_t number, Instant now) {
        const Attempt attempt = attempts_[number];
        const Call call = call_of(number);
        const CallReport report =
            router_.ended(call.id, Ending::answered,
                          ReportedPrompt{call.prompt_tokens, attempt.cached_tokens}, now);
        ++causes_[static_cast<size_t>(report.miss.cause)];
        prompt_tokens_ += call.prompt_tokens;
        cached_tokens_ += attempt.cached_tokens;
        arrive_after(now, *attempt.session, attempt.index + 1);
    }

    FleetResult result() {
        std::ranges::sort(ttft_s_);
        const auto calls = static_cast<double>(ttft_s_.size());
        int64_t most = 0;
        int64_t sum = 0;
        for (const Replica& replica : replicas_) {
            most = std::max(most, replica.read_tokens);
            sum += replica.read_tokens;
        }
        const auto rate = [&](MissCause cause) {
            return static_cast<double>(causes_[static_cast<size_t>(cause)]) / calls;
        };
        return {.hit_rate = static_cast<double>(cached_tokens_) / double(prompt_tokens_),
                .spread = double(most) * double(replicas_.size()) / double(sum),
                .ttft_mean_s = std::accumulate(ttft_s_.begin(), ttft_s_.end(), 0.0) / calls,
                .ttft_p90_s = ttft_s_[ttft_s_.size() * 9 / 10],
                .elsewhere_rate = rate(MissCause::other_upstream),
                .evicted_rate = rate(MissCause::evicted)};
    }

    const Trace& trace_;
    UpstreamFacts facts_;
    Router router_;
    std::vector<UpstreamId> ids_;
    std::deque<Replica> replicas_;
    std::vector<Attempt> attempts_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    uint64_t order_ = 0;
    std::vector<double> ttft_s_;
    std::array<uint64_t, 7> causes_{};
    int64_t prompt_tokens_ = 0;
    int64_t cached_tokens_ = 0;
};

}  // namespace brigada
