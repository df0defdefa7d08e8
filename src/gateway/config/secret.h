// Secret: a text that never shows itself. Printing it, by a stream, by fmt or in a failed test,
// gives
// "****"; whoever really needs the text says reveal().
#pragma once

#include <fmt/format.h>

#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace brigada {

class Secret {
  public:
    Secret() = default;
    explicit Secret(std::string text) : text_(std::move(text)) {}

    const std::string& reveal() const { return text_; }
    bool empty() const { return text_.empty(); }

    /// "****", or "" when there is none: whether a secret was given may be known.
    std::string_view shown() const { return text_.empty() ? "" : "****"; }

    /// Tells a reload what changed. It takes longer the more agrees, so what a client sent is not
    /// compared with it.
    friend bool operator==(const Secret&, const Secret&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Secret& s) { return out << s.shown(); }

  private:
    std::string text_;
};

}  // namespace brigada

template <>
struct fmt::formatter<brigada::Secret> : fmt::formatter<std::string_view> {
    auto format(const brigada::Secret& secret, format_context& context) const {
        return formatter<std::string_view>::format(secret.shown(), context);
    }
};
