// Profile: what the sessions of one kind of work are like, in quantile grids: what the generator
// draws from. Fitted to a trace, built in, or written by hand as JSON (docs/traces.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "trace/distribution.h"
#include "trace/trace.h"

namespace brigada {

/// Sessions that begin with the same tools and system prompt.
struct SharedPrefix {
    double share = 0;  // of all sessions
    uint32_t tokens = 0;
};

/// From a prompt of this length on, the chance that the next call compacts it.
struct CompactionStep {
    uint32_t from_tokens = 0;
    double chance = 0;
};

struct SubAgentProfile {
    double chance = 0;  // that an answer begins one
    SharedPrefix prefix;
    Distribution calls, first_prompt, new_tokens, output, gap_s;
};

/// Sessions of one work are of several sorts: long ones that begin small, short ones that take up a
/// large context again. A profile with `parts` says each apart; what a part doesn't say is the
/// whole's.
struct Profile {
    std::string name;
    std::string about;  // where the numbers come from
    std::string model = "model";

    std::vector<SharedPrefix> prefixes;  // those of other sessions are their own
    Distribution first_prompt;           // tokens of a session's first prompt
    Distribution calls;                  // of a session
    Distribution calls_per_turn;
    Distribution new_tokens_user, new_tokens_tool;  // that an appending call adds to the prompt
    Distribution output;
    Distribution gap_user_s, gap_tool_s;  // from an answer to the next call
    Distribution pause_s;                 // from the end of a session to its user's next

    std::vector<CompactionStep> compaction;          // by rising from_tokens
    Distribution compaction_ratio, compaction_kept;  // prompt, and kept, over the prompt before
    double rewrite_chance = 0;                       // that another call doesn't append
    Distribution rewrite_ratio, rewrite_kept;        // the same two
    SubAgentProfile sub_agents;

    uint32_t most_prompt_tokens = 0;  // longer ones are compacted
    double longest_gap_s = 3600;      // longer ones are absences, and are cut to this
    double share = 1;                 // of the sessions, of a part
    std::vector<Profile> parts;       // none, or shares that sum to 1
};

Json to_json(const Profile& profile);

/// Error::invalid_argument names the field. Fields that aren't there keep what a plain session has:
/// one call, no compaction, no sub-agents.
Result<Profile> read_profile(const Json& json);

/// The quantile grids of a trace.
Profile fit_profile(const Trace& trace, std::string name);

/// No prompt, of no part, is longer than this: it is compacted before.
void compact_at(Profile& profile, uint32_t most_tokens);

/// Nobody is away for longer: gaps and pauses end there.
void cut_absences(Profile& profile, double longest_s);

/// People and tools are so many times faster: all gaps and pauses are shorter.
void hurry(Profile& profile, double factor);

/// All prompts are so many times as long: how sessions begin, what calls add, when they compact.
void lengthen(Profile& profile, double factor);

/// chat, copilot, agentx, swe-bench, claude-code, rag.
std::vector<std::string_view> builtin_profile_names();
/// Error::not_found has their names.
Result<Profile> builtin_profile(std::string_view name);

/// A built-in one, or that of a file as `to_json` writes it. Error::not_found has the names; what
/// is wrong in a file is named with it.
Result<Profile> find_profile(const std::string& name_or_path);

}  // namespace brigada
