// fit_profile: the quantile grids of a trace's sessions.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "trace/profile.h"
#include "trace/timeline.h"
#include "trace/trace_stats.h"

namespace brigada {

namespace {

constexpr size_t kMostPrefixes = 24;
constexpr size_t kFewestSessions = 20;                   // of a part
constexpr Duration kMeanPause = Duration::seconds(300);  // assumed: traces don't say

/// Prompt lengths between which the chance of a compaction is taken to be the same: finer where
/// contexts of 200K tokens end.
constexpr std::array<uint32_t, 18> kCompactionSteps = {
    0,       25'000,  50'000,  75'000,  100'000, 125'000, 135'000, 142'000, 147'000,
    152'000, 157'000, 162'000, 170'000, 200'000, 250'000, 320'000, 450'000, 650'000};

double ratio(double part, double whole) {
    return whole == 0 ? 0 : part / whole;
}

/// What the sessions of a part show.
struct Seen {
    std::vector<double> first_prompt, calls, calls_per_turn, output;
    std::vector<double> new_user, new_tool, gap_user, gap_tool;
    std::vector<double> compaction_ratio, compaction_kept, rewrite_ratio, rewrite_kept;
    std::array<uint64_t, kCompactionSteps.size()> calls_at{}, compactions_at{};
    uint64_t uncompacted = 0;
    uint32_t most_prompt = 0;
};

size_t step_of(uint32_t tokens) {
    return static_cast<size_t>(std::ranges::upper_bound(kCompactionSteps, tokens) -
                               kCompactionSteps.begin()) -
           1;
}

void add_later(const TraceCall& before, const TraceCall& call, Duration idle, uint32_t block_tokens,
               Seen& out) {
    const double kept = kept_tokens(call, block_tokens);
    const double prompt = call.prompt_tokens;
    const double grown = prompt / before.prompt_tokens;
    const size_t step = step_of(before.prompt_tokens);
    (call.user ? out.gap_user : out.gap_tool).push_back(idle.seconds());
    ++out.calls_at[step];
    if (grown < kCompactionRatio) {
        ++out.compactions_at[step];
        out.compaction_ratio.push_back(grown);
        out.compaction_kept.push_back(kept / before.prompt_tokens);
        return;
    }
    ++out.uncompacted;
    if (kept > kAppendShare * prompt) {
        (call.user ? out.new_user : out.new_tool).push_back(prompt - kept);
        return;
    }
    out.rewrite_ratio.push_back(grown);
    out.rewrite_kept.push_back(kept / before.prompt_tokens);
}

void add_session(const TraceSession& session, const std::vector<TimedCall>& times,
                 uint32_t block_tokens, Seen& out) {
    const auto& calls = session.calls;
    out.first_prompt.push_back(calls.front().prompt_tokens);
    out.calls.push_back(double(calls.size()));
    uint32_t in_turn = 0;
    for (size_t i = 0; i < calls.size(); ++i) {
        if (i > 0 && calls[i].user) out.calls_per_turn.push_back(std::exchange(in_turn, 0));
        ++in_turn;
        out.output.push_back(calls[i].output_tokens);
        out.most_prompt = std::max(out.most_prompt, calls[i].prompt_tokens);
        if (i > 0) add_later(calls[i - 1], calls[i], times[i].idle, block_tokens, out);
    }
    out.calls_per_turn.push_back(in_turn);
}

/// First names of prompts that begin alike, and how far they do.
struct Group {
    uint64_t sessions = 0;
    const TraceCall* first = nullptr;
    uint32_t blocks = 0;  // that all of them begin with
};

/// Blocks at the beginning of both first prompts.
uint32_t common_blocks(const TraceCall& a, const TraceCall& b) {
    uint32_t common = 0;
    size_t run_a = 0, run_b = 0;
    uint32_t at_a = 0, at_b = 0;
    while (run_a < a.added.size() && run_b < b.added.size() &&
           a.added[run_a].first + at_a == b.added[run_b].first + at_b) {
        const uint32_t step = std::min(a.added[run_a].count - at_a, b.added[run_b].count - at_b);
        common += step;
        if ((at_a += step) == a.added[run_a].count) ++run_a, at_a = 0;
        if ((at_b += step) == b.added[run_b].count) ++run_b, at_b = 0;
    }
    return common;
}

/// Sessions, or sub-agents, grouped by their first block.
std::vector<SharedPrefix> shared_prefixes(const Trace& trace, bool of_sub_agents) {
    std::map<uint32_t, Group> groups;
    uint64_t sessions = 0;
    for (const TraceSession& session : trace.sessions) {
        if (session.parent.has_value() != of_sub_agents) continue;
        ++sessions;
        const TraceCall& call = session.calls.front();
        Group& group = groups[call.added.front().first];
        const uint32_t common = group.first ? common_blocks(*group.first, call)
                                            : blocks_of(call.prompt_tokens, trace.block_tokens);
        group.blocks = group.first ? std::min(group.blocks, common) : common;
        if (!group.first) group.first = &call;
        ++group.sessions;
    }
    std::vector<SharedPrefix> out;
    for (const auto& [name, group] : groups)
        if (group.sessions > 1)
            out.push_back({ratio(double(group.sessions), double(sessions)),
                           group.blocks * trace.block_tokens});
    std::ranges::sort(out, [](const SharedPrefix& a, const SharedPrefix& b) {
        return std::pair(-a.share, a.tokens) < std::pair(-b.share, b.tokens);
    });
    if (out.size() > kMostPrefixes) out.resize(kMostPrefixes);
    return out;
}

SubAgentProfile fit_sub_agents(const Trace& trace,
                               const std::vector<std::vector<TimedCall>>& times) {
    SubAgentProfile out;
    std::vector<double> calls, first_prompt, new_tokens, output, gap;
    uint64_t parents_calls = 0;
    for (size_t s = 0; s < trace.sessions.size(); ++s) {
        const TraceSession& session = trace.sessions[s];
        if (!session.parent) parents_calls += session.calls.size();
        if (!session.parent) continue;
        calls.push_back(double(session.calls.size()));
        first_prompt.push_back(session.calls.front().prompt_tokens);
        for (size_t i = 0; i < session.calls.size(); ++i) {
            const TraceCall& call = session.calls[i];
            output.push_back(call.output_tokens);
            if (i == 0) continue;
            new_tokens.push_back(call.prompt_tokens - kept_tokens(call, trace.block_tokens));
            gap.push_back(times[s][i].idle.seconds());
        }
    }
    out.chance = ratio(double(calls.size()), double(parents_calls));
    const auto prefixes = shared_prefixes(trace, true);
    if (!prefixes.empty()) out.prefix = prefixes.front();
    out.calls = distribution_of(std::move(calls));
    out.first_prompt = distribution_of(std::move(first_prompt));
    out.new_tokens = distribution_of(std::move(new_tokens));
    out.output = distribution_of(std::move(output));
    out.gap_s = distribution_of(std::move(gap));
    return out;
}

std::vector<CompactionStep> compaction_steps(const Seen& seen) {
    std::vector<CompactionStep> out;
    for (size_t i = 0; i < kCompactionSteps.size(); ++i)
        if (seen.calls_at[i] > 0)
            out.push_back({kCompactionSteps[i],
                           ratio(double(seen.compactions_at[i]), double(seen.calls_at[i]))});
    return out;
}

/// Exponential, as when the next session begins whenever it does.
Distribution usual_pause() {
    Distribution out{.count = 1, .mean = kMeanPause.seconds()};
    for (size_t i = 0; i < kGridPercentiles.size(); ++i)
        out.quantiles[i] =
            -kMeanPause.seconds() * std::log(1 - std::min(kGridPercentiles[i], 99.95) / 100);
    return out;
}

Profile profile_of(Seen seen) {
    Profile out;
    out.first_prompt = distribution_of(std::move(seen.first_prompt));
    out.calls = distribution_of(std::move(seen.calls));
    out.calls_per_turn = distribution_of(std::move(seen.calls_per_turn));
    out.output = distribution_of(std::move(seen.output));
    out.new_tokens_user = distribution_of(std::move(seen.new_user));
    out.new_tokens_tool = distribution_of(std::move(seen.new_tool));
    out.gap_user_s = distribution_of(std::move(seen.gap_user));
    out.gap_tool_s = distribution_of(std::move(seen.gap_tool));
    out.compaction = compaction_steps(seen);
    out.rewrite_chance = ratio(double(seen.rewrite_kept.size()), double(seen.uncompacted));
    out.compaction_ratio = distribution_of(std::move(seen.compaction_ratio));
    out.compaction_kept = distribution_of(std::move(seen.compaction_kept));
    out.rewrite_ratio = distribution_of(std::move(seen.rewrite_ratio));
    out.rewrite_kept = distribution_of(std::move(seen.rewrite_kept));
    out.most_prompt_tokens = seen.most_prompt;
    return out;
}

/// In which third of all `values` each of them lies.
std::vector<size_t> thirds(const std::vector<double>& values) {
    const Distribution all = distribution_of(values);
    std::vector<size_t> out;
    for (const double value : values)
        out.push_back((value > all.at(1.0 / 3) ? 1U : 0U) + (value > all.at(2.0 / 3) ? 1U : 0U));
    return out;
}

/// Sessions of people by the third of their first and of their largest prompt: nine parts, of which
/// one with too few sessions goes with the part before.
std::vector<std::vector<uint32_t>> parts_of(const Trace& trace) {
    std::vector<uint32_t> sessions;
    std::vector<double> firsts, peaks;
    for (uint32_t s = 0; s < trace.sessions.size(); ++s) {
        if (trace.sessions[s].parent) continue;
        const auto& calls = trace.sessions[s].calls;
        sessions.push_back(s);
        firsts.push_back(calls.front().prompt_tokens);
        peaks.push_back(std::ranges::max(calls, {}, &TraceCall::prompt_tokens).prompt_tokens);
    }
    const auto first = thirds(firsts), peak = thirds(peaks);
    std::vector<std::vector<uint32_t>> out;
    for (size_t part = 0; part < 9; ++part) {
        if (out.empty() || out.back().size() >= kFewestSessions) out.emplace_back();
        for (size_t i = 0; i < sessions.size(); ++i)
            if (first[i] * 3 + peak[i] == part) out.back().push_back(sessions[i]);
    }
    if (out.size() > 1 && out.back().size() < kFewestSessions) {
        out[out.size() - 2].insert(out[out.size() - 2].end(), out.back().begin(), out.back().end());
        out.pop_back();
    }
    return out;
}

}  // namespace

Profile fit_profile(const Trace& trace, std::string name) {
    const auto times = timeline(trace);
    const auto parts = parts_of(trace);
    Seen all;
    std::vector<Profile> fitted;
    size_t sessions = 0;
    for (const auto& part : parts) {
        Seen seen;
        for (const uint32_t s : part) {
            add_session(trace.sessions[s], times[s], trace.block_tokens, seen);
            add_session(trace.sessions[s], times[s], trace.block_tokens, all);
        }
        sessions += part.size();
        fitted.push_back(profile_of(std::move(seen)));
        fitted.back().share = double(part.size());
    }
    Profile out = profile_of(std::move(all));
    out.name = std::move(name);
    out.about = "fitted to " + trace.origin;
    out.model = trace.models.front();
    out.prefixes = shared_prefixes(trace, false);
    out.pause_s = usual_pause();
    out.sub_agents = fit_sub_agents(trace, times);
    if (fitted.size() == 1) return out;
    for (Profile& part : fitted) {
        part.name = out.name;
        part.about = out.about;
        part.model = out.model;
        part.prefixes = out.prefixes;
        part.pause_s = out.pause_s;
        part.sub_agents = out.sub_agents;
        part.share /= double(sessions);
    }
    out.parts = std::move(fitted);
    return out;
}

}  // namespace brigada
