// AgentSession: a session of a coding agent as kv-cache-tester records it, between the two forms in
// which its importers find it and the trace: calls with times since the session's start, ids of
// full blocks that mean something within the session, and sub-agents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/importer.h"

namespace brigada {

struct AgentCall {
    Duration at = {};  // since the start of its session
    std::optional<Duration> think = {}, api = {},
                            ttft = {};  // before it, at the server, to its first token
    uint32_t model = 0;
    uint32_t prompt_tokens = 0, output_tokens = 0;
    bool user = true;
    uint32_t keep = 0;               // ids shared with the call before
    std::vector<uint64_t> ids = {};  // those that follow
};

struct SubAgent;

struct AgentSession {
    std::string name = {};
    uint32_t tool_tokens = 0, system_tokens = 0;
    bool ids_are_global = false;
    std::vector<AgentCall> calls = {};
    std::vector<SubAgent> sub_agents;
};

/// It was done `ended_at` after its parent's start.
struct SubAgent {
    AgentSession session = {};
    size_t calls_before = 0;  // of its parent
    Duration ended_at = {};
    std::optional<Duration> took = {};
};

/// Adds the session and its sub-agents to the trace. Error::invalid_argument when the ids don't fit
/// the lengths or the clock jumps back.
Result<void> add_agent_session(const AgentSession& session, const Place& place,
                               TraceBuilder& trace);

}  // namespace brigada
