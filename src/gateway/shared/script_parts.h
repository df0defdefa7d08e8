// The parts of the books' script, in the order in which each uses those before it. Times are
// microseconds of Redis' clock; they and money fit into the 53 bits of a Lua number. Names of keys
// are made in them, so a Redis Cluster will not do.
#pragma once

#include <string_view>

namespace brigada {

extern const std::string_view kReplicasScript;
extern const std::string_view kUseScript;
extern const std::string_view kLimitsScript;
extern const std::string_view kBudgetsScript;
extern const std::string_view kCallsScript;
extern const std::string_view kMembersScript;

}  // namespace brigada
