// How values are written: Python's str() and repr(), and JSON as transformers' tojson prints it.
#pragma once

#include <optional>

#include "jinja/heap.h"

namespace brigada::jinja {

/// Nesting of lists and dicts beyond this is an error: it may be a cycle.
inline constexpr int kMaxNesting = 100;

/// Python's repr(float): the shortest digits that read back as the same number.
std::string real_text(double value);

/// Appends str(value): texts as they are, undefined as nothing.
Result<void> write_text(TextBuilder& out, Value value);
/// str(value); borrowed when it is a text already.
Result<std::string_view> text_of(Heap& heap, Value value);
/// Appends repr(value).
Result<void> write_repr(TextBuilder& out, Value value, int depth = 0);

/// json.dumps' arguments, with the defaults of transformers' tojson.
struct JsonStyle {
    bool ensure_ascii = false;
    bool sort_keys = false;
    std::optional<std::string_view> indent;  // one level's; absent: everything on one line
    std::string_view item_separator = ", ";
    std::string_view key_separator = ": ";
};
Result<void> write_json(TextBuilder& out, Value value, const JsonStyle& style, int depth = 0);

}  // namespace brigada::jinja
