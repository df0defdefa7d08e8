// Unread: text that has arrived in portions of any size and is not used yet, with the few steps a
// reader takes through it. A step that cannot tell yet uses nothing and says `wait`, so what is
// read never depends on where the text was cut.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace brigada {

enum class Taken { yes, no, wait };

/// Whether Unread::take_name() takes all of it.
bool is_name(std::string_view text);

class Unread {
  public:
    void append(std::string_view text) { text_ += text; }
    /// No more will come: nothing has to be waited for.
    void end() { ended_ = true; }
    bool ended() const { return ended_; }

    std::string_view text() const { return std::string_view(text_).substr(at_); }
    bool empty() const { return at_ == text_.size(); }
    void use(size_t bytes);

    /// The literal, if it is next.
    Taken take(std::string_view literal);
    /// The text before the next `literal`, and the literal; nothing while that has not come.
    std::optional<std::string> take_until(std::string_view literal);
    /// The name of a function or parameter, at least one character; waits for what ends it.
    Taken take_name(std::string& out);
    void skip_space();

    /// From here on what is used is kept for since_mark().
    void mark();
    std::string since_mark() const { return text_.substr(mark_, at_ - mark_); }

  private:
    std::string text_;
    size_t mark_ = 0;      // kept from here
    size_t at_ = 0;        // used up to here
    size_t searched_ = 0;  // take_until has looked up to here
    bool ended_ = false;
};

inline constexpr std::string_view kWhiteSpace = " \t\r\n";

/// `text` without white space at its end.
std::string_view without_space_at_end(std::string_view text);

/// How many bytes at the end of `text` could be the beginning of `literal`.
size_t unfinished_literal(std::string_view text, std::string_view literal);

struct LiteralPlace {
    size_t at = 0;
    std::string_view literal{};  // "": what could still become one begins there, or the text ends
};

/// The first of `literals` in `text`; of two at one place the first in the list.
LiteralPlace find_first(std::string_view text, std::span<const std::string_view> literals);

}  // namespace brigada
