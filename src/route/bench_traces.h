// Traces of real calls for benchmarks: the sample of Claude Code sessions and 20 minutes of
// Mooncake's conversations (testdata/traces/ORIGIN), as sessions of calls with block keys.
#pragma once

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/rng.h"
#include "base/time.h"
#include "route/call.h"
#include "route/rendezvous.h"

namespace brigada {

struct TracedCall {
    Duration pause;  // after the end of the call before; for the first, after time 0
    ModelId model{};
    int64_t prompt_tokens = 0;
    int64_t output_tokens = 0;
    std::vector<BlockKey> keys = {};
};

/// Calls that follow one another: the client waits for an answer before it goes on.
struct TracedSession {
    SessionId id{};
    std::vector<TracedCall> calls = {};
};

struct Trace {
    uint32_t block_tokens = 0;
    std::vector<TracedSession> sessions = {};
};

inline std::ifstream open_trace(const std::string& name) {
    std::ifstream file(std::string(BRIGADA_TESTDATA) + "/traces/" + name);
    CHECK(file.good(), "testdata/traces/", name);
    return file;
}

/// The tools at the beginning of a prompt are the same for all sessions that have as many tokens of
/// them, which is our reading of the trace: its ids say nothing across sessions.
inline BlockKey claude_code_key(uint64_t session, uint64_t tool_tokens, uint64_t id) {
    const bool is_tools = id * 64 <= tool_tokens;
    return BlockKey{is_tools ? mix(tool_tokens, id) : mix(mix(session, 1), id)};
}

inline TracedSession claude_code_session(const Json& json, uint64_t number, Duration start,
                                         std::map<std::string, ModelId>& models) {
    TracedSession session{.id = SessionId{number}};
    std::vector<BlockKey> keys;
    double ended_s = 0;
    for (const Json& call : json["calls"]) {
        keys.resize(call["keep"].get<size_t>());
        for (const Json& run : call["add"])
            for (uint64_t i = 0; i < run[1].get<uint64_t>(); ++i)
                keys.push_back(claude_code_key(number, json["tool_tokens"].get<uint64_t>(),
                                               run[0].get<uint64_t>() + i));
        const double t = call["t"].get<double>();
        const double pause_s = call.value("think", std::max(0.0, t - ended_s));
        ended_s = t + call.value("api", 0.0);
        const auto next_model = ModelId{static_cast<uint32_t>(models.size())};
        const auto pause = Duration::milliseconds(static_cast<int64_t>(pause_s * 1e3));
        session.calls.push_back(
            {.pause = session.calls.empty() ? start : pause,
             .model = models.try_emplace(call["m"].get<std::string>(), next_model).first->second,
             .prompt_tokens = call["in"].get<int64_t>(),
             .output_tokens = call["out"].get<int64_t>(),
             .keys = keys});
    }
    return session;
}

/// Each of the 16 sessions `copies` times, as if by different people, beginning within `spread`.
inline Trace claude_code_trace(uint64_t copies, Duration spread, Rng rng) {
    Trace trace{.block_tokens = 64};
    std::ifstream file = open_trace("claude_code_sessions_sample16.jsonl");
    std::map<std::string, ModelId> models;
    for (std::string line; std::getline(file, line);) {
        const Json json = parse_json(line, "a session").value();
        for (uint64_t i = 0; i < copies; ++i) {
            const auto start = Duration::nanoseconds(rng.between(0, spread.ns()));
            trace.sessions.push_back(
                claude_code_session(json, trace.sessions.size() + 1, start, models));
        }
    }
    return trace;
}

inline uint64_t take_number(const char*& at, const char* end) {
    uint64_t number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    CHECK(error == std::errc());
    at = after == end ? end : after + 1;  // past the separator
    return number;
}

/// Requests at the times they came. What names a conversation is its second block: the first is a
/// system prompt that all share.
inline Trace mooncake_trace() {
    Trace trace{.block_tokens = 512};
    std::ifstream file = open_trace("mooncake_conversation_20min.csv");
    std::string line;
    std::getline(file, line);  // names of the columns
    while (std::getline(file, line)) {
        const char* at = line.data();
        const char* const end = at + line.size();
        TracedCall call{.pause = Duration::milliseconds(int64_t(take_number(at, end)))};
        call.prompt_tokens = int64_t(take_number(at, end));
        call.output_tokens = int64_t(take_number(at, end));
        while (at < end) {
            const uint64_t first = take_number(at, end);
            const uint64_t count = take_number(at, end);
            for (uint64_t i = 0; i < count; ++i)
                call.keys.push_back(BlockKey{mix(first + i, 512)});
        }
        const BlockKey name = call.keys[std::min<size_t>(1, call.keys.size() - 1)];
        trace.sessions.push_back({.id = SessionId{raw(name)}, .calls = {std::move(call)}});
    }
    return trace;
}

}  // namespace brigada
