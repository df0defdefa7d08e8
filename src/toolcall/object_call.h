// ObjectCallReader: calls written as JSON objects, {"name": "f", "arguments": {...}}, between
// markers of a format: one, or several with separators.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "toolcall/call_reader.h"
#include "toolcall/json_arguments.h"
#include "toolcall/json_scanner.h"

namespace brigada {

/// The keys such an object may have.
inline constexpr std::array<std::string_view, 5> kCallKeys = {"name", "arguments", "parameters",
                                                              "id", "type"};

/// One such object. The keys come in any order; "parameters" means arguments, too, and arguments
/// may be JSON within a string. They are sent as they come once the name is known.
class ObjectCall {
  public:
    /// With `is_unmarked` nothing but its form says that this is a call, so it is one only if all
    /// its keys are a call's and its name is a tool's.
    explicit ObjectCall(bool is_unmarked) : is_unmarked_(is_unmarked) {}

    /// Reading::call() when the object is complete and sent.
    Reading read(Unread& in, CallWriter& out);

  private:
    enum class At { open, first_key, key, key_text, colon, value, value_text, arguments, comma };

    std::optional<Reading> step(Unread& in, CallWriter& out);
    std::optional<Reading> go(Taken taken, At next, std::string_view reason);
    std::optional<Reading> begin_key(Unread& in, CallWriter& out);
    std::optional<Reading> begin_value(Unread& in, CallWriter& out);
    std::optional<Reading> comma_or_end(Unread& in, CallWriter& out);
    std::optional<Reading> end_key();
    std::optional<Reading> end_value(CallWriter& out);
    std::optional<Reading> end_name(CallWriter& out);
    Taken read_text(Unread& in);
    void begin_text(At at);
    Reading finish(CallWriter& out);

    bool is_arguments_key() const { return key_ == "arguments" || key_ == "parameters"; }

    bool is_unmarked_;
    At at_ = At::open;
    JsonScanner scanner_;
    std::string text_;  // JSON of the key or value at hand
    std::string key_;
    std::string name_;
    std::optional<std::string> held_;  // arguments that came before the name, or as a string
    JsonArguments arguments_;
    bool is_announced_ = false;
};

/// The markers; "" where a format has none.
struct ObjectCallLayout {
    std::string_view open{}, list_open{}, list_close{}, close{};
    std::string_view separators{};  // characters, any of which stands between two calls
    bool open_is_optional = false;
    bool is_unmarked = false;  // as in ObjectCall
};

class ObjectCallReader : public CallReader {
  public:
    /// Borrows the layout.
    explicit ObjectCallReader(const ObjectCallLayout& layout)
        : layout_(layout), call_(layout.is_unmarked) {}

    Reading read(Unread& in, CallWriter& out) override;

  private:
    enum class At { open, list, call, after_call, close };

    std::optional<Reading> step(Unread& in, CallWriter& out);
    std::optional<Reading> take_optional(Taken taken, bool is_optional, At next);
    std::optional<Reading> read_call(Unread& in, CallWriter& out);
    std::optional<Reading> after_call(Unread& in);

    const ObjectCallLayout& layout_;
    At at_ = At::open;
    ObjectCall call_;
    bool is_list_ = false;
};

}  // namespace brigada
