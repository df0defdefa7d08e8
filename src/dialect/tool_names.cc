#include "dialect/tool_names.h"

#include <algorithm>

#include "base/concat.h"
#include "base/fnv.h"

namespace brigada {

namespace {

bool is_taken(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

bool is_taken(Escaped name) {
    return name.raw.size() <= kLongestToolName &&
           std::ranges::all_of(name.raw, [](char c) { return is_taken(c); });
}

/// What can be kept of the name, so that a model still knows what it is, and a hash of all of it.
std::string wire_name(std::string_view name, uint32_t attempt) {
    const std::string hash =
        fmt::format("_{:08x}", static_cast<uint32_t>(fnv1a64(name) + 0x9e3779b9u * attempt));
    std::string out(name.substr(0, kLongestToolName - hash.size()));
    std::ranges::replace_if(out, [](char c) { return !is_taken(c); }, '_');
    return out + hash;
}

/// `change` for every place where the name of a tool stands.
template <typename Conversation, typename Change>
void each_name(Conversation& conversation, const Change& change) {
    for (auto& tool : conversation.tools)
        change(tool.name);
    for (auto& message : conversation.messages)
        for (auto& block : message.blocks)
            if (auto* call = std::get_if<ToolCallBlock>(&block)) change(call->name);
    if (conversation.tool_choice.kind == ToolChoice::Kind::named)
        change(conversation.tool_choice.name);
}

}  // namespace

ToolNames::ToolNames(const Conversation& conversation) {
    each_name(conversation, [&](Escaped name) {
        if (!is_taken(name)) add(name, conversation);
    });
}

void ToolNames::add(Escaped name, const Conversation& conversation) {
    if (wire_.contains(name.raw)) return;
    const auto is_used = [&](std::string_view wire) {
        bool used = original_.contains(wire);
        each_name(conversation, [&](Escaped other) { used = used || other.raw == wire; });
        return used;
    };
    std::string wire;
    for (uint32_t attempt = 0; wire.empty() || is_used(wire); ++attempt)
        wire = wire_name(name.raw, attempt);
    original_.emplace(wire, name.raw);
    wire_.emplace(name.raw, std::move(wire));
}

Escaped ToolNames::found(const Names& names, Escaped name) {
    const auto at = names.find(name.raw);
    return at == names.end() ? name : Escaped{at->second};
}

void ToolNames::put_into(Conversation& conversation) const {
    if (empty()) return;
    each_name(conversation, [&](Escaped& name) { name = found(wire_, name); });
}

void ToolNames::take_out_of(Conversation& conversation) const {
    if (empty()) return;
    each_name(conversation, [&](Escaped& name) { name = found(original_, name); });
}

Escaped ToolNames::original(Escaped name) const {
    return found(original_, name);
}

}  // namespace brigada
