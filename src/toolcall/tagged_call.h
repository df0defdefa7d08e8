// TaggedCallReader: calls whose arguments stand between tags, as text that only the tool's schema
// gives a type:
//
//     <section> <call>NAME<name_end> <key>city<key_end><value>Madrid<value_end> ... <call_end>
//     <section_end>
//
// Arguments are sent one by one: a value is known when its tag closes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "toolcall/call_reader.h"

namespace brigada {

/// The markers; "" where a format has none. White space between them does not matter.
struct TaggedCallLayout {
    std::string_view section{}, call{}, name_end{};
    std::string_view key, key_end, value{}, value_end;
    std::string_view json_value{};  // in place of `value`: what follows is JSON, not text
    std::string_view call_end, section_end{};
    bool needs_section = true;        // models leave the section's tags out and still mean a call
    bool spaced_values = false;       // white space may stand between a key and its value
    bool lines_of_their_own = false;  // a value's first and last line break belong to the tags
};

class TaggedCallReader : public CallReader {
  public:
    /// Borrows the layout.
    explicit TaggedCallReader(const TaggedCallLayout& layout) : layout_(layout) {}

    Reading read(Unread& in, CallWriter& out) override;

  private:
    enum class At { section, call, name, name_end, key, key_name, key_end, value_begin, value };

    std::optional<Reading> step(Unread& in, CallWriter& out);
    std::optional<Reading> go(Taken taken, At next, std::string_view reason);
    std::optional<Reading> section(Unread& in);
    std::optional<Reading> call_or_end(Unread& in);
    std::optional<Reading> name_end(Unread& in, CallWriter& out);
    std::optional<Reading> key_or_end(Unread& in, CallWriter& out);
    std::optional<Reading> value_begin(Unread& in);
    std::optional<Reading> value(Unread& in, CallWriter& out);
    void send_argument(std::string text, CallWriter& out);

    const TaggedCallLayout& layout_;
    At at_ = At::section;
    bool has_section_ = true;
    bool has_call_ = false;
    bool has_argument_ = false;
    bool is_json_ = false;  // the value at hand
    std::string name_, key_;
};

}  // namespace brigada
