#include "trace/generator.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/concat.h"
#include "base/rng.h"
#include "trace/prefix_names.h"

namespace brigada {

namespace {

constexpr Duration kBefore = Duration::seconds(12 * 3600);  // people began then, or up to
constexpr Duration kSpread = Duration::seconds(4 * 3600);   // so much later

double draw(const Distribution& from, Rng& rng, double otherwise = 0) {
    return from.empty() ? otherwise : from.at(rng.uniform());
}

uint32_t draw_count(const Distribution& from, Rng& rng, double otherwise = 1) {
    return static_cast<uint32_t>(std::clamp(std::round(draw(from, rng, otherwise)), 1.0, 2e9));
}

/// What a part of the trace draws from: a user's session, one that arrives, a sub-agent.
Rng rng_of(uint64_t seed, uint64_t user, uint64_t session) {
    return Rng(Rng(Rng(seed).next() + user).next() + session);
}

/// Standard normal. Source: Box and Muller, 1958.
double draw_normal(Rng& rng) {
    const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
    return radius * std::cos(2 * std::numbers::pi * rng.uniform());
}

/// Gamma with mean 1. Source: Marsaglia and Tsang, 2000; below shape 1 raised by a power of u.
double draw_gamma(double shape, Rng& rng) {
    const double raised = shape < 1 ? shape + 1 : shape;
    const double d = raised - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = draw_normal(rng);
        const double v = std::pow(1 + c * x, 3);
        if (v <= 0 || std::log(1 - rng.uniform()) >= x * x / 2 + d - d * v + d * std::log(v))
            continue;
        const double boost = shape < 1 ? std::pow(1 - rng.uniform(), 1 / shape) : 1;
        return d * v * boost / shape;
    }
}

class Generator {
  public:
    Generator(const Profile& profile, const GenerateSetup& setup)
        : profile_(profile), setup_(setup), end_(Instant() + setup.duration) {
        out_ = {.origin = concat("generated: ", profile.name, ", seed ", setup.seed),
                .block_tokens = setup.block_tokens,
                .models = {profile.model},
                .tenants = {"all"}};
        for (const SharedPrefix& prefix : profile.prefixes)
            prefixes_.push_back(prefix_run(prefix));
        sub_agent_prefix_ = prefix_run(profile.sub_agents.prefix);
    }

    Result<Trace> users() {
        for (uint64_t user = 0; user < setup_.users; ++user) {
            Rng rng = rng_of(setup_.seed, user, 0);
            Instant at =
                Instant() - kBefore + Duration::from_seconds(rng.uniform() * kSpread.seconds());
            for (uint64_t number = 1; at < end_; ++number) {
                TRY(at, session(user, number, at));
                at = at + Duration::from_seconds(draw(profile_.pause_s, rng));
            }
        }
        return finish();
    }

    Result<Trace> arrivals() {
        Rng rng(setup_.seed);
        const double shape = 1 / (setup_.arrival_cv * setup_.arrival_cv);
        const double mean_s = 3600 / setup_.sessions_per_hour;
        Instant at = Instant() - kBefore;
        for (uint64_t number = 1; at < end_; ++number) {
            TRY(const Instant ended, session(number, 0, at));
            static_cast<void>(ended);
            at = at + Duration::from_seconds(mean_s * draw_gamma(shape, rng));
        }
        return finish();
    }

  private:
    /// A session as it goes on.
    struct Going {
        const Profile& profile;
        Rng rng;
        uint64_t user = 0, number = 0;
        BlockRun prefix = {};
        bool has_prefix = true;  // the prompt still begins with it
        uint32_t index = 0;      // of the session in the trace, once it has a call there
        bool is_recorded = false;
        uint32_t prompt = 0;  // tokens, of the call before
        Instant free = {};    // when the client may go on
    };

    Duration answer_time(uint32_t output_tokens) const {
        return setup_.ttft + setup_.per_token * output_tokens;
    }

    BlockRun prefix_run(const SharedPrefix& prefix) {
        const uint32_t blocks = prefix.tokens / setup_.block_tokens;
        return {names_.fresh(blocks), blocks};
    }

    /// From `at` on; when it ended.
    Result<Instant> session(uint64_t user, uint64_t number, Instant at) {
        Rng rng = rng_of(setup_.seed, user, number);
        const Profile& profile = choose_part(rng);
        Going going{.profile = profile, .rng = rng, .user = user, .number = number, .free = at};
        going.prefix = choose_prefix(going.rng);
        uint32_t left_in_turn = 0;
        const uint32_t calls = draw_count(profile.calls, going.rng);
        for (uint32_t i = 0; i < calls && going.free < end_; ++i) {
            const bool user_speaks = left_in_turn == 0;
            if (user_speaks) left_in_turn = draw_count(profile.calls_per_turn, going.rng);
            --left_in_turn;
            TRY(call(going, user_speaks));
        }
        return going.free;
    }

    const Profile& choose_part(Rng& rng) const {
        double left = rng.uniform();
        for (const Profile& part : profile_.parts)
            if ((left -= part.share) < 0) return part;
        return profile_.parts.empty() ? profile_ : profile_.parts.back();
    }

    BlockRun choose_prefix(Rng& rng) {
        double left = rng.uniform();
        for (size_t i = 0; i < prefixes_.size(); ++i)
            if ((left -= profile_.prefixes[i].share) < 0) return prefixes_[i];
        return {};
    }

    Result<void> call(Going& going, bool user) {
        const bool first = going.prompt == 0;
        const auto [prompt, kept] = first ? first_prompt(going) : next_prompt(going, user);
        const uint32_t output = draw_count(going.profile.output, going.rng);
        const double gap_s =
            draw(user ? going.profile.gap_user_s : going.profile.gap_tool_s, going.rng);
        const Duration gap =
            first ? Duration()
                  : Duration::from_seconds(std::min(gap_s, going.profile.longest_gap_s));
        const Instant sent = going.free + gap;
        const Instant answered = sent + answer_time(output);
        if (sent >= Instant() && sent < end_) {
            TRY(record(going,
                       {.gap = gap,
                        .prompt_tokens = prompt,
                        .output_tokens = output,
                        .keep_blocks = kept / setup_.block_tokens,
                        .user = user},
                       sent));
        }
        going.has_prefix =
            going.has_prefix && (first || kept >= going.prefix.count * setup_.block_tokens);
        going.prompt = prompt;
        going.free = answered;
        if (going.profile.sub_agents.chance > 0 &&
            going.rng.chance(going.profile.sub_agents.chance))
            TRY(sub_agent(going));
        return {};
    }

    /// The next prompt's tokens, and those of the one before at its beginning.
    struct Prompt {
        uint32_t tokens = 0, kept = 0;
    };

    Prompt first_prompt(Going& going) {
        const uint32_t shared = going.prefix.count * setup_.block_tokens;
        const uint32_t drawn =
            std::max(draw_count(going.profile.first_prompt, going.rng), shared + 1);
        return {std::min(drawn, most_tokens(going)), 0};
    }

    Prompt next_prompt(Going& going, bool user) {
        if (going.rng.chance(compaction_chance(going)))
            return changed(going, going.profile.compaction_ratio, going.profile.compaction_kept,
                           0.27);
        if (going.rng.chance(going.profile.rewrite_chance))
            return changed(going, going.profile.rewrite_ratio, going.profile.rewrite_kept, 1);
        const uint32_t more = draw_count(
            user ? going.profile.new_tokens_user : going.profile.new_tokens_tool, going.rng);
        if (uint64_t(going.prompt) + more > most_tokens(going))
            return changed(going, going.profile.compaction_ratio, going.profile.compaction_kept,
                           0.27);
        // What is new counts from the last full block on: the partial one is read again.
        const uint32_t full = going.prompt / setup_.block_tokens * setup_.block_tokens;
        return {std::max(full + more, going.prompt + 1), full};
    }

    Prompt changed(Going& going, const Distribution& ratio, const Distribution& kept,
                   double usual_ratio) {
        const double before = going.prompt;
        const double tokens = std::clamp(before * draw(ratio, going.rng, usual_ratio), 1.0,
                                         double(most_tokens(going)));
        const double keeps = std::min({before * draw(kept, going.rng), tokens, before});
        return {static_cast<uint32_t>(tokens), static_cast<uint32_t>(keeps)};
    }

    uint32_t most_tokens(const Going& going) const {
        return std::max(1U, going.profile.most_prompt_tokens);
    }

    static double compaction_chance(const Going& going) {
        double chance = 0;
        for (const CompactionStep& step : going.profile.compaction)
            if (going.prompt >= step.from_tokens) chance = step.chance;
        return chance;
    }

    /// Gives the call its blocks and adds it to the trace, its session, too, where it is the first.
    Result<void> record(Going& going, TraceCall call, Instant sent) {
        const uint32_t blocks = blocks_of(call.prompt_tokens, setup_.block_tokens);
        if (!names_.has_room(blocks))
            return Error{
                Code::too_large,
                concat("a trace holds at most ", PrefixNames::kMost,
                       " different blocks: fewer users, a shorter time, or larger blocks")};
        if (!going.is_recorded) {
            begin(going, sent);
            call.gap = Duration();
            call.keep_blocks = 0;
            if (going.has_prefix && going.prefix.count > 0)
                call.added.push_back({going.prefix.first, std::min(blocks, going.prefix.count)});
        }
        uint32_t has = call.keep_blocks;
        for (const BlockRun& run : call.added)
            has += run.count;
        if (has < blocks) call.added.push_back({names_.fresh(blocks - has), blocks - has});
        out_.sessions[going.index].calls.push_back(std::move(call));
        return {};
    }

    void begin(Going& going, Instant start) {
        going.is_recorded = true;
        going.index = static_cast<uint32_t>(out_.sessions.size());
        out_.sessions.push_back(
            {.name = concat("user ", going.user + 1, ", session ", going.number),
             .start = start,
             .system_tokens = going.has_prefix ? going.prefix.count * setup_.block_tokens : 0});
    }

    /// Begins when the last call was answered; its parent waits.
    Result<void> sub_agent(Going& parent) {
        const SubAgentProfile& profile = profile_.sub_agents;
        Going going{.profile = profile_, .rng = parent.rng.fork(), .free = parent.free};
        const bool recorded = parent.is_recorded && parent.free < end_;
        const uint32_t calls = draw_count(profile.calls, going.rng);
        TraceSession session{.name = concat("user ", parent.user + 1, ", sub-agent"),
                             .parent = ParentCall{parent.index, 0},
                             .system_tokens = sub_agent_prefix_.count * setup_.block_tokens};
        for (uint32_t i = 0; i < calls; ++i)
            session.calls.push_back(sub_agent_call(going));
        parent.free = going.free;
        if (!recorded) return {};
        session.parent->call = static_cast<uint32_t>(out_.sessions[parent.index].calls.size() - 1);
        return add_sub_agent(std::move(session));
    }

    TraceCall sub_agent_call(Going& going) {
        const SubAgentProfile& profile = profile_.sub_agents;
        const bool first = going.prompt == 0;
        const uint32_t full = going.prompt / setup_.block_tokens * setup_.block_tokens;
        const uint32_t shared = sub_agent_prefix_.count * setup_.block_tokens;
        const uint32_t prompt =
            first ? std::max(draw_count(profile.first_prompt, going.rng), shared + 1)
                  : std::max(full + draw_count(profile.new_tokens, going.rng), going.prompt + 1);
        TraceCall call{
            .gap = first ? Duration() : Duration::from_seconds(draw(profile.gap_s, going.rng)),
            .prompt_tokens = std::min(prompt, most_tokens(going)),
            .output_tokens = draw_count(profile.output, going.rng),
            .user = first};
        call.keep_blocks =
            first ? 0 : std::min(going.prompt, call.prompt_tokens) / setup_.block_tokens;
        going.prompt = call.prompt_tokens;
        going.free = going.free + call.gap + answer_time(call.output_tokens);
        return call;
    }

    Result<void> add_sub_agent(TraceSession session) {
        for (TraceCall& call : session.calls) {
            const uint32_t blocks = blocks_of(call.prompt_tokens, setup_.block_tokens);
            if (!names_.has_room(blocks))
                return Error{Code::too_large, "too many different blocks"};
            uint32_t has = call.keep_blocks;
            if (&call == &session.calls.front() && sub_agent_prefix_.count > 0) {
                call.added.push_back(
                    {sub_agent_prefix_.first, std::min(blocks, sub_agent_prefix_.count)});
                has = call.added.back().count;
            }
            if (has < blocks) call.added.push_back({names_.fresh(blocks - has), blocks - has});
        }
        out_.sessions.push_back(std::move(session));
        return {};
    }

    Result<Trace> finish() {
        if (out_.sessions.empty())
            return Error{Code::invalid_argument,
                         concat("no call falls into the ", setup_.duration.seconds(),
                                " s: more users, or a longer time")};
        out_.names = names_.count();
        return std::move(out_);
    }

    const Profile& profile_;
    const GenerateSetup& setup_;
    Instant end_;
    PrefixNames names_;
    std::vector<BlockRun> prefixes_;
    BlockRun sub_agent_prefix_;
    Trace out_;
};

}  // namespace

Result<Trace> generate(const Profile& profile, const GenerateSetup& setup) {
    const auto wrong = [](std::string_view what) {
        return Error{Code::invalid_argument, std::string(what)};
    };
    if ((setup.users > 0) == (setup.sessions_per_hour > 0))
        return wrong("either users or sessions an hour are needed, one of them");
    if (setup.duration <= Duration()) return wrong("the duration must be above 0");
    if (setup.block_tokens == 0) return wrong("blocks need at least 1 token");
    if (!(setup.arrival_cv > 0 && setup.arrival_cv <= 100))
        return wrong("arrival CV: above 0 and up to 100");
    if (!(setup.sessions_per_hour >= 0 && setup.sessions_per_hour <= 1e7))
        return wrong("sessions an hour: up to 10 million");
    Generator generator(profile, setup);
    return setup.users > 0 ? generator.users() : generator.arrivals();
}

}  // namespace brigada
