// ToolNames: names of tools that an upstream would refuse, and what they are called before it: APIs
// take 64 letters, digits, _ and -, clients send more. The same name is always called the same, so
// that upstreams find their caches, and no two tools are called alike.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "dialect/conversation.h"

namespace brigada {

inline constexpr size_t kLongestToolName = 64;

class ToolNames {
  public:
    ToolNames() = default;
    /// For the tools that the conversation has, has called or asks for.
    explicit ToolNames(const Conversation& conversation);

    bool empty() const { return wire_.empty(); }

    /// Renames them in `conversation`, and back. It refers into this object in between.
    void put_into(Conversation& conversation) const;
    void take_out_of(Conversation& conversation) const;

    /// The client's name of a tool that the upstream calls; `name` where it was never changed.
    Escaped original(Escaped name) const;

  private:
    void add(Escaped name, const Conversation& conversation);

    using Names = std::map<std::string, std::string, std::less<>>;
    static Escaped found(const Names& names, Escaped name);

    Names wire_;      // by the client's
    Names original_;  // by the wire's
};

}  // namespace brigada
