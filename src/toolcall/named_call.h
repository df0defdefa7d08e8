// NamedCallReader: calls written as a name between markers, followed by a JSON object:
//
//     <section> <call>NAME<separator>{"a": 1}<call_end> ... <section_end>
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "toolcall/call_reader.h"
#include "toolcall/json_arguments.h"

namespace brigada {

/// The markers. Without a `call` of its own a section is one call; without a `section_end` it ends
/// with its last call.
struct NamedCallLayout {
    std::string_view section, call{}, separator, call_end{}, section_end{};
    std::string_view id_separator{};  // NAME<id_separator>ID<separator>, where a model writes ids
    bool name_is_id = false;          // "functions.NAME:3" is the id and has the name in it
};

class NamedCallReader : public CallReader {
  public:
    /// Borrows the layout.
    explicit NamedCallReader(const NamedCallLayout& layout) : layout_(layout) {}

    Reading read(Unread& in, CallWriter& out) override;

  private:
    enum class At { section, call, name, separator, id, id_end, arguments, call_end };

    std::optional<Reading> step(Unread& in, CallWriter& out);
    std::optional<Reading> go(Taken taken, At next, std::string_view reason);
    std::optional<Reading> call_or_end(Unread& in);
    std::optional<Reading> separator(Unread& in, CallWriter& out);
    std::optional<Reading> announced(Taken taken, CallWriter& out);
    Reading end_call(Unread& in, CallWriter& out);

    const NamedCallLayout& layout_;
    At at_ = At::section;
    bool has_call_ = false;
    std::string name_, id_;
    JsonArguments arguments_;
};

}  // namespace brigada
