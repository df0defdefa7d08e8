// FakeSharedBooks: the books that replicas share, as simple as can be: every entry is remembered by
// itself. Tests let replicas count in it in virtual time, and compare the script that Redis runs
// with it.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "admit/limiter.h"

namespace brigada {

class FakeSharedBooks {
  public:
    using Scope = std::string;
    struct Asked {
        Scope scope;
        Limits limits;
    };
    enum class Answer { yes, no, unknown };

    explicit FakeSharedBooks(int64_t replicas) : replicas_(replicas) {}

    /// The process that keeps the books has started with nothing in them.
    void start(Instant now) {
        *this = FakeSharedBooks(replicas_);
        began_ = now;
    }

    Answer admit(const std::string& who, const std::vector<Asked>& asked, int64_t tokens,
                 Instant now) {
        if (!joined_.contains(who)) return Answer::unknown;
        beats_[who] = now;
        for (const Asked& each : asked)
            if (!fits(each, tokens, now)) return Answer::no;
        for (const Asked& each : asked) {
            entries_.push_back({who, each.scope, now, 1, tokens});
            ++running_[{who, each.scope}];
        }
        return Answer::yes;
    }

    bool beat(const std::string& who, Instant now) {
        if (!joined_.contains(who)) return false;
        beats_[who] = now;
        return true;
    }

    void end(const std::string& who, const Scope& scope) {
        int64_t& running = running_[{who, scope}];
        running = std::max<int64_t>(running - 1, 0);
    }

    /// All that `who` has in use of one scope, instead of what the books have.
    void replace(const std::string& who, const Scope& scope, const Limiter::Use& use, Instant now) {
        std::erase_if(entries_, [&](const Entry& e) { return e.who == who && e.scope == scope; });
        for (const auto& entry : use.entries)
            entries_.push_back({who, scope, now - entry.age, entry.requests, entry.tokens});
        running_[{who, scope}] = use.running;
    }

    /// True: it is in. `age` of its process; `is_complete`: it knows all that its data folder's
    /// processes admitted in the last minute.
    bool join(const std::string& who, Duration age, bool is_complete, Instant now) {
        counts_from_[who] = is_complete ? now : now - age + ReplicaShare::kSpan;
        for (const auto& [id, at] : beats_)
            if (id != who && is_alive(at, now) && at < now - age) return wait(who, now);
        if (is_complete) complete_[who] = now;
        const auto fresh = std::ranges::count_if(
            complete_, [&](const auto& each) { return is_alive(each.second, now); });
        if (fresh >= replicas_) is_warm_ = true;
        if (!is_warm_ && now - began_ < ReplicaShare::kSpan) return wait(who, now);
        beats_[who] = now;
        joined_.insert(who);
        return true;
    }

  private:
    struct Entry {
        std::string who;
        Scope scope;
        Instant at;
        int64_t requests = 0;
        int64_t tokens = 0;
    };

    static bool is_alive(Instant beat, Instant now) { return now - beat < ReplicaShare::kGone; }
    bool is_known(Instant beat, Instant now) const {
        return now - beat < ReplicaShare::kGone + ReplicaShare::kSpan;
    }

    bool wait(const std::string& who, Instant now) {
        beats_[who] = now - ReplicaShare::kGone;
        joined_.erase(who);
        return false;
    }

    int64_t used(const std::string& who, const Scope& scope, int64_t Entry::* what,
                 Instant now) const {
        const Instant beat = beats_.at(who);
        const Instant seen = is_alive(beat, now) ? std::min(now, beat) : now;
        int64_t sum = 0;
        for (const Entry& entry : entries_)
            if (entry.who == who && entry.scope == scope && entry.at + ReplicaShare::kSpan > seen)
                sum += entry.*what;
        return sum;
    }

    /// What of `limit` is not free: of each replica what it uses, and of those that may be out of
    /// reach at least their share.
    int64_t taken(const Scope& scope, int64_t Entry::* what, int64_t limit, Instant now) const {
        int64_t sum = 0, there = 0;
        std::vector<int64_t> gone;
        for (const auto& [who, beat] : beats_) {
            if (!is_known(beat, now)) continue;
            const int64_t use = used(who, scope, what, now);
            sum += use;
            if (now < counts_from_.at(who)) continue;
            if (is_alive(beat, now))
                ++there;
            else
                gone.push_back(use);
        }
        return sum + kept_free(limit, there, gone);
    }

    int64_t kept_free(int64_t limit, int64_t there, std::vector<int64_t> gone) const {
        const int64_t all = std::max(replicas_, there);
        std::ranges::sort(gone);  // any of them may have died: those that use most, for all we know
        gone.resize(static_cast<size_t>(all - there));
        int64_t sum = 0;
        for (const int64_t use : gone)
            sum += std::max<int64_t>(limit / all - use, 0);
        return sum;
    }

    bool fits(const Asked& asked, int64_t tokens, Instant now) const {
        const Limits& limits = asked.limits;
        if (const auto limit = limits.requests_per_minute)
            if (taken(asked.scope, &Entry::requests, *limit, now) + 1 > *limit) return false;
        if (const auto limit = limits.tokens_per_minute)
            if (taken(asked.scope, &Entry::tokens, *limit, now) + tokens > *limit) return false;
        if (const auto limit = limits.concurrent) {
            int64_t sum = 0, there = 0;
            std::vector<int64_t> gone;
            for (const auto& [who, beat] : beats_) {
                if (!is_known(beat, now)) continue;
                if (!is_alive(beat, now)) {
                    gone.push_back(0);  // a replica that died holds nothing
                    continue;
                }
                if (now >= counts_from_.at(who)) ++there;
                const auto held = running_.find({who, asked.scope});
                if (held != running_.end()) sum += held->second;
            }
            if (sum + kept_free(*limit, there, gone) + 1 > *limit) return false;
        }
        return true;
    }

    int64_t replicas_;
    Instant began_;
    bool is_warm_ = false;
    std::map<std::string, Instant> beats_;
    std::map<std::string, Instant> complete_;
    std::set<std::string> joined_;

    // Before this time a replica fills no place: the process that had the place before it may have
    // used its share alone, and told nobody.
    std::map<std::string, Instant> counts_from_;
    std::vector<Entry> entries_;
    std::map<std::pair<std::string, Scope>, int64_t> running_;
};

}  // namespace brigada
