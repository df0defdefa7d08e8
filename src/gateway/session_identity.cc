#include "gateway/session_identity.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/concat.h"
#include "base/fnv.h"
#include "base/json.h"

namespace brigada {

namespace {

constexpr size_t kMaxIdBytes = 255;

constexpr std::string_view kSessionHeaders[] = {"x-brigada-session",
                                                "x-session-id",
                                                "x-litellm-session-id",
                                                "x-bf-session-id",
                                                "x-smg-routing-key",
                                                "x-claude-code-session-id",
                                                "session-id",
                                                "session_id",
                                                "thread-id",
                                                "conversation_id",
                                                "x-session-affinity",
                                                "x-task-id",
                                                "x-amp-thread-id",
                                                "x-qwen-code-session-id"};

constexpr std::string_view kParentHeaders[] = {"x-parent-session-id", "x-codex-parent-thread-id"};

std::string first_of(const HttpHeaders& headers, std::span<const std::string_view> names) {
    for (const std::string_view name : names) {
        const auto value = headers.get(name);
        if (value && !value->empty() && value->size() <= kMaxIdBytes) return std::string(*value);
    }
    return {};
}

std::string id_in(const HttpHeaders& headers, std::string_view name) {
    return first_of(headers, {&name, 1});
}

/// A sub-agent is an id beside the session's (Claude Code), a thread within it (Codex), or a
/// session that names its parent (OpenCode, older Codex).
void find_agent(const HttpHeaders& headers, SessionIdentity& who) {
    who.agent = id_in(headers, "x-claude-code-agent-id");
    if (!who.agent.empty()) return;
    const std::string session = id_in(headers, "session-id"), thread = id_in(headers, "thread-id");
    if (!session.empty() && !thread.empty() && thread != session) {
        who.agent = thread;
        return;
    }
    const std::string parent = first_of(headers, kParentHeaders);
    if (!parent.empty() && parent != who.session)
        who.agent = std::exchange(who.session, parent);
    else
        who.agent = id_in(headers, "x-openai-subagent");
}

}  // namespace

std::string session_of_user_id(std::string_view user_id) {
    constexpr std::string_view kMark = "_session_";
    if (const size_t at = user_id.rfind(kMark); at != user_id.npos)
        return std::string(user_id.substr(at + kMark.size()));
    if (!user_id.starts_with('{')) return {};
    const auto parsed = parse_json(user_id, "metadata.user_id");
    if (!parsed.ok() || !parsed->is_object()) return {};
    const auto found = parsed->find("session_id");
    return found != parsed->end() && found->is_string() ? found->get<std::string>() : std::string();
}

SessionId session_id(std::string_view tenant, std::string_view session) {
    if (session.empty()) return SessionId{};
    return SessionId{std::max<uint64_t>(fnv1a64(concat(tenant, '\n', session)), 1)};
}

SessionIdentity session_identity(const HttpHeaders& headers, const CallBody& body) {
    SessionIdentity out{.session = first_of(headers, kSessionHeaders)};
    if (out.session.empty()) out.session = session_of_user_id(body.end_user);
    if (out.session.empty()) out.session = body.session;
    if (out.session.size() > kMaxIdBytes) out.session.clear();
    if (!out.session.empty()) find_agent(headers, out);
    return out;
}

}  // namespace brigada
