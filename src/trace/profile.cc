#include "trace/profile.h"

#include <algorithm>

#include <cmath>

#include "base/concat.h"

namespace brigada {

namespace {

/// A field of the profile: its name in JSON and where it stands.
struct Grid {
    const char* name;
    Distribution Profile::* member;
};

constexpr Grid kGrids[] = {
    {"first_prompt_tokens", &Profile::first_prompt},
    {"calls_per_session", &Profile::calls},
    {"calls_per_turn", &Profile::calls_per_turn},
    {"new_tokens_user", &Profile::new_tokens_user},
    {"new_tokens_tool", &Profile::new_tokens_tool},
    {"output_tokens", &Profile::output},
    {"gap_user_s", &Profile::gap_user_s},
    {"gap_tool_s", &Profile::gap_tool_s},
    {"pause_s", &Profile::pause_s},
    {"compaction_ratio", &Profile::compaction_ratio},
    {"compaction_kept", &Profile::compaction_kept},
    {"rewrite_ratio", &Profile::rewrite_ratio},
    {"rewrite_kept", &Profile::rewrite_kept},
};

struct SubAgentGrid {
    const char* name;
    Distribution SubAgentProfile::* member;
};

constexpr SubAgentGrid kSubAgentGrids[] = {
    {"calls", &SubAgentProfile::calls},
    {"first_prompt_tokens", &SubAgentProfile::first_prompt},
    {"new_tokens", &SubAgentProfile::new_tokens},
    {"output_tokens", &SubAgentProfile::output},
    {"gap_s", &SubAgentProfile::gap_s},
};

Error wrong(std::string_view field, std::string_view wanted) {
    return {Code::invalid_argument, concat("profile: ", field, ": ", wanted)};
}

/// A number from `low` to `high`, `otherwise` where it isn't said.
Result<double> read_number(const Json& json, const char* field, double otherwise, double low,
                           double high) {
    const auto found = json.find(field);
    if (found == json.end()) return otherwise;
    const auto wanted = concat("a number from ", low, " to ", high, " is needed");
    if (!found->is_number()) return wrong(field, wanted);
    const double value = found->get<double>();
    if (!(value >= low && value <= high)) return wrong(field, wanted);
    return value;
}

constexpr double kMostPrompt = 20e6;

Result<SharedPrefix> read_prefix(const Json& json) {
    if (!json.is_object()) return wrong("shared_prefixes", "objects with share and tokens");
    SharedPrefix out;
    TRY(out.share, read_number(json, "share", 1, 0, 1));
    TRY(const double tokens, read_number(json, "tokens", 0, 0, kMostPrompt));
    out.tokens = static_cast<uint32_t>(tokens);
    return out;
}

Result<std::vector<SharedPrefix>> read_prefixes(const Json& json) {
    std::vector<SharedPrefix> out;
    if (!json.is_array()) return wrong("shared_prefixes", "a list is needed");
    double sum = 0;
    for (const Json& entry : json) {
        TRY(out.emplace_back(), read_prefix(entry));
        sum += out.back().share;
    }
    if (sum > 1 + 1e-6) return wrong("shared_prefixes", concat("the shares sum to ", sum));
    return out;
}

Result<std::vector<CompactionStep>> read_compaction(const Json& json) {
    std::vector<CompactionStep> out;
    if (!json.is_array()) return wrong("compaction", "a list of from_tokens and chance is needed");
    for (const Json& entry : json) {
        if (!entry.is_object()) return wrong("compaction", "objects with from_tokens and chance");
        TRY(const double from, read_number(entry, "from_tokens", 0, 0, kMostPrompt));
        TRY(const double chance, read_number(entry, "chance", 1, 0, 1));
        if (!out.empty() && from <= out.back().from_tokens)
            return wrong("compaction", "from_tokens must rise");
        out.push_back({static_cast<uint32_t>(from), chance});
    }
    return out;
}

Result<SubAgentProfile> read_sub_agents(const Json& json) {
    SubAgentProfile out;
    if (!json.is_object()) return wrong("sub_agents", "an object is needed");
    TRY(out.chance, read_number(json, "chance", 0, 0, 1));
    if (json.contains("shared_prefix")) {
        TRY(out.prefix, read_prefix(json["shared_prefix"]));
    }
    for (const SubAgentGrid& grid : kSubAgentGrids) {
        if (!json.contains(grid.name)) continue;
        TRY(out.*grid.member, read_distribution(json[grid.name], concat("sub_agents.", grid.name)));
    }
    if (out.chance > 0 && (out.calls.empty() || out.first_prompt.empty()))
        return wrong("sub_agents", "with a chance, calls and first_prompt_tokens are needed");
    return out;
}

Json prefix_json(const SharedPrefix& prefix) {
    return {{"share", prefix.share}, {"tokens", prefix.tokens}};
}

Json sub_agents_json(const SubAgentProfile& profile) {
    Json out = {{"chance", profile.chance}, {"shared_prefix", prefix_json(profile.prefix)}};
    for (const SubAgentGrid& grid : kSubAgentGrids)
        if (!(profile.*grid.member).empty()) out[grid.name] = to_json(profile.*grid.member);
    return out;
}

/// What of a part isn't the whole's.
Json part_json(const Profile& part, const Json& whole) {
    Json out = {{"share", part.share}};
    for (const auto& [field, value] : to_json(part).items())
        if (!whole.contains(field) || whole[field] != value) out[field] = value;
    return out;
}

/// `whole` is a profile's JSON, `parts` in it.
Result<std::vector<Profile>> read_parts(const Json& whole) {
    const Json& parts = whole["parts"];
    if (!parts.is_array()) return wrong("parts", "a list is needed");
    std::vector<Profile> out;
    double sum = 0;
    for (const Json& part : parts) {
        if (!part.is_object() || part.contains("parts"))
            return wrong("parts", "objects without parts of their own are needed");
        Json full = whole;
        full.erase("parts");
        full.update(part);
        TRY(out.emplace_back(), read_profile(full));
        TRY(out.back().share, read_number(part, "share", 1, 0, 1));
        sum += out.back().share;
    }
    if (!out.empty() && std::abs(sum - 1) > 0.01)
        return wrong("parts", concat("the shares sum to ", sum, "; 1 is needed"));
    return out;
}

}  // namespace

Json to_json(const Profile& profile) {
    Json prefixes = Json::array(), compaction = Json::array();
    for (const SharedPrefix& prefix : profile.prefixes)
        prefixes.push_back(prefix_json(prefix));
    for (const CompactionStep& step : profile.compaction)
        compaction.push_back({{"from_tokens", step.from_tokens}, {"chance", step.chance}});
    Json out = {{"name", profile.name},
                {"about", profile.about},
                {"model", profile.model},
                {"shared_prefixes", std::move(prefixes)},
                {"compaction", std::move(compaction)},
                {"rewrite_chance", profile.rewrite_chance},
                {"most_prompt_tokens", profile.most_prompt_tokens},
                {"longest_gap_s", profile.longest_gap_s}};
    for (const Grid& grid : kGrids)
        if (!(profile.*grid.member).empty()) out[grid.name] = to_json(profile.*grid.member);
    if (profile.sub_agents.chance > 0) out["sub_agents"] = sub_agents_json(profile.sub_agents);
    for (const Profile& part : profile.parts)
        out["parts"].push_back(part_json(part, out));
    return out;
}

Result<Profile> read_profile(const Json& json) {
    if (!json.is_object()) return wrong("it", "an object is needed");
    Profile out;
    for (const auto& [field, text] : {std::pair("name", &out.name), std::pair("about", &out.about),
                                      std::pair("model", &out.model)}) {
        if (!json.contains(field)) continue;
        if (!json[field].is_string()) return wrong(field, "a text is needed");
        *text = json[field].get<std::string>();
    }
    if (json.contains("shared_prefixes")) {
        TRY(out.prefixes, read_prefixes(json["shared_prefixes"]));
    }
    if (json.contains("compaction")) {
        TRY(out.compaction, read_compaction(json["compaction"]));
    }
    if (json.contains("sub_agents")) {
        TRY(out.sub_agents, read_sub_agents(json["sub_agents"]));
    }
    for (const Grid& grid : kGrids) {
        if (!json.contains(grid.name)) continue;
        TRY(out.*grid.member, read_distribution(json[grid.name], grid.name));
    }
    TRY(out.rewrite_chance, read_number(json, "rewrite_chance", 0, 0, 1));
    TRY(const double most, read_number(json, "most_prompt_tokens", 1e6, 1, kMostPrompt));
    TRY(out.longest_gap_s, read_number(json, "longest_gap_s", 3600, 0, 1e9));
    out.most_prompt_tokens = static_cast<uint32_t>(most);
    if (json.contains("parts")) {
        TRY(out.parts, read_parts(json));
    }
    if (out.first_prompt.empty()) return wrong("first_prompt_tokens", "it is needed");
    if (out.output.empty()) return wrong("output_tokens", "it is needed");
    return out;
}

void compact_at(Profile& profile, uint32_t most_tokens) {
    uint32_t& most = profile.most_prompt_tokens;
    most = most == 0 ? most_tokens : std::min(most, most_tokens);
    for (Profile& part : profile.parts)
        compact_at(part, most_tokens);
}

void cut_absences(Profile& profile, double longest_s) {
    profile.longest_gap_s = std::min(profile.longest_gap_s, longest_s);
    profile.pause_s = cut(profile.pause_s, longest_s);
    for (Profile& part : profile.parts)
        cut_absences(part, longest_s);
}

void hurry(Profile& profile, double factor) {
    profile.longest_gap_s /= factor;
    for (Distribution* each :
         {&profile.gap_user_s, &profile.gap_tool_s, &profile.pause_s, &profile.sub_agents.gap_s})
        *each = scaled(*each, 1 / factor);
    for (Profile& part : profile.parts)
        hurry(part, factor);
}

void lengthen(Profile& profile, double factor) {
    const auto times = [factor](uint32_t tokens) {
        return static_cast<uint32_t>(std::llround(tokens * factor));
    };
    SubAgentProfile& helpers = profile.sub_agents;
    for (SharedPrefix& prefix : profile.prefixes)
        prefix.tokens = times(prefix.tokens);
    helpers.prefix.tokens = times(helpers.prefix.tokens);
    for (CompactionStep& step : profile.compaction)
        step.from_tokens = times(step.from_tokens);
    for (Distribution* each :
         {&profile.first_prompt, &profile.new_tokens_user, &profile.new_tokens_tool,
          &helpers.first_prompt, &helpers.new_tokens})
        *each = scaled(*each, factor);
    for (Profile& part : profile.parts)
        lengthen(part, factor);
}

}  // namespace brigada
