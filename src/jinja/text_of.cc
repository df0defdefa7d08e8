#include "jinja/text_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/concat.h"
#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

Error too_nested() {
    return template_error(
        concat("a value is nested over ", kMaxNesting, " deep, or contains itself"));
}

std::string_view quote_for(std::string_view text) {
    return text.contains('\'') && !text.contains('"') ? "\"" : "'";
}

std::string repr_escape(char32_t code) {
    if (code >= kInvalid) return fmt::format("\\x{:02x}", code - kInvalid);
    if (code <= 0xFF) return fmt::format("\\x{:02x}", uint32_t(code));
    if (code <= 0xFFFF) return fmt::format("\\u{:04x}", uint32_t(code));
    return fmt::format("\\U{:08x}", uint32_t(code));
}

Result<void> write_text_repr(TextBuilder& out, std::string_view text) {
    const std::string_view quote = quote_for(text);
    TRY(out.add(quote));
    for (size_t i = 0; i < text.size();) {
        const Character c = character_at(text, i);
        i += c.bytes.size();
        if (c.code == '\n')
            TRY(out.add("\\n"));
        else if (c.code == '\r')
            TRY(out.add("\\r"));
        else if (c.code == '\t')
            TRY(out.add("\\t"));
        else if (c.code == '\\')
            TRY(out.add("\\\\"));
        else if (c.bytes == quote)
            TRY(out.add(concat("\\", quote)));
        else if (is_printable(c.code))
            TRY(out.add(c.bytes));
        else
            TRY(out.add(repr_escape(c.code)));
    }
    return out.add(quote);
}

Result<void> write_list_repr(TextBuilder& out, const List& list, int depth) {
    TRY(out.add(list.is_tuple ? "(" : "["));
    for (size_t i = 0; i < list.items.size(); ++i) {
        if (i > 0) TRY(out.add(", "));
        TRY(write_repr(out, list.items[i], depth + 1));
    }
    if (list.is_tuple && list.items.size() == 1) TRY(out.add(","));
    return out.add(list.is_tuple ? ")" : "]");
}

Result<void> write_dict_repr(TextBuilder& out, const Dict& dict, int depth) {
    TRY(out.add("{"));
    bool first = true;
    for (const auto& [key, value] : dict.entries()) {
        if (!std::exchange(first, false)) TRY(out.add(", "));
        TRY(write_repr(out, key, depth + 1));
        TRY(out.add(": "));
        TRY(write_repr(out, value, depth + 1));
    }
    return out.add("}");
}

}  // namespace

std::string real_text(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    char digits[64];
    // Python writes an exponent below 1e-4 and from 1e16.
    const double size = std::abs(value);
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
    const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
    const auto end = std::to_chars(digits, digits + sizeof digits, value, format).ptr;
    std::string out(digits, end);
    if (plain && !out.contains('.')) out += ".0";
    return out;
}

Result<void> write_text(TextBuilder& out, Value value) {
    if (value.is_text()) return out.add(value.as_text());
    return write_repr(out, value);
}

Result<std::string_view> text_of(Heap& heap, Value value) {
    if (value.is_text()) return value.as_text();
    TextBuilder out(heap);
    TRY(write_repr(out, value));
    TRY(const Value text, out.finish());
    return text.as_text();
}

Result<void> write_repr(TextBuilder& out, Value value, int depth) {
    if (depth > kMaxNesting) return too_nested();
    switch (value.kind()) {
        case Kind::undefined:
            return depth == 0 ? Result<void>() : out.add("Undefined");
        case Kind::none:
            return out.add("None");
        case Kind::boolean:
            return out.add(value.as_bool() ? "True" : "False");
        case Kind::integer:
            return out.add(concat(value.as_integer()));
        case Kind::real:
            return out.add(real_text(value.as_real()));
        case Kind::text:
            return write_text_repr(out, value.as_text());
        case Kind::list:
            return write_list_repr(out, value.as_list(), depth);
        case Kind::dict:
            return write_dict_repr(out, value.as_dict(), depth);
        case Kind::object:
            return out.add(concat("<", value.as_object().type_name(), ">"));
    }
    return {};
}

// --- JSON -------------------------------------------------------------------------------------

namespace {

/// What JSON writes for a character that may not stand for itself; empty when it may.
std::string json_escape(char32_t code, bool ensure_ascii) {
    switch (code) {
        case '"':
            return "\\\"";
        case '\\':
            return "\\\\";
        case '\n':
            return "\\n";
        case '\r':
            return "\\r";
        case '\t':
            return "\\t";
        case '\b':
            return "\\b";
        case '\f':
            return "\\f";
        default:
            break;
    }
    if (code < 0x20 || (ensure_ascii && code >= 0x7F && code <= 0xFFFF))
        return fmt::format("\\u{:04x}", uint32_t(code));
    if (code >= kInvalid) return "\xEF\xBF\xBD";  // U+FFFD: JSON must be valid UTF-8
    if (!ensure_ascii || code < 0x7F) return {};
    const uint32_t rest = code - 0x10000;
    return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

bool stands_for_itself(char c) {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

Result<void> write_json_text(TextBuilder& out, std::string_view text, bool ensure_ascii) {
    TRY(out.add("\""));
    for (size_t i = 0; i < text.size();) {
        const size_t start = i;
        while (i < text.size() && stands_for_itself(text[i]))
            ++i;
        TRY(out.add(text.substr(start, i - start)));
        if (i == text.size()) break;
        const Character c = character_at(text, i);
        const std::string escape = json_escape(c.code, ensure_ascii);
        TRY(out.add(escape.empty() ? c.bytes : std::string_view(escape)));
        i += c.bytes.size();
    }
    return out.add("\"");
}

std::string json_real(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
    return real_text(value);
}

Result<void> new_line(TextBuilder& out, const JsonStyle& style, int depth) {
    if (!style.indent) return {};
    TRY(out.add("\n"));
    for (int i = 0; i < depth; ++i)
        TRY(out.add(*style.indent));
    return {};
}

Result<void> write_json_list(TextBuilder& out, const List& list, const JsonStyle& style,
                             int depth) {
    if (list.items.empty()) return out.add("[]");
    TRY(out.add("["));
    for (size_t i = 0; i < list.items.size(); ++i) {
        if (i > 0) TRY(out.add(style.item_separator));
        TRY(new_line(out, style, depth + 1));
        TRY(write_json(out, list.items[i], style, depth + 1));
    }
    TRY(new_line(out, style, depth));
    return out.add("]");
}

/// A key as json.dumps makes it a string: True is "true", 1 is "1".
Result<void> write_json_key(TextBuilder& out, Value key, const JsonStyle& style) {
    if (key.is_text()) return write_json_text(out, key.as_text(), style.ensure_ascii);
    TRY(out.add("\""));
    TRY(write_json(out, key, style));
    return out.add("\"");
}

/// An order of all keys: none, numbers, texts.
bool key_before(const Dict::Entry& a, const Dict::Entry& b) {
    const Value left = a.first, right = b.first;
    if (left.is_text() && right.is_text()) return left.as_text() < right.as_text();
    if (left.is_number() && right.is_number()) return left.as_real() < right.as_real();
    const auto rank = [](Value key) { return key.is_text() ? 2 : key.is_number() ? 1 : 0; };
    return rank(left) < rank(right);
}

Result<void> write_json_dict(TextBuilder& out, const Dict& dict, const JsonStyle& style,
                             int depth) {
    if (dict.size() == 0) return out.add("{}");
    std::vector<Dict::Entry> entries(dict.entries().begin(), dict.entries().end());
    if (style.sort_keys) std::ranges::sort(entries, key_before);
    TRY(out.add("{"));
    bool first = true;
    for (const auto& [key, value] : entries) {
        if (!std::exchange(first, false)) TRY(out.add(style.item_separator));
        TRY(new_line(out, style, depth + 1));
        TRY(write_json_key(out, key, style));
        TRY(out.add(style.key_separator));
        TRY(write_json(out, value, style, depth + 1));
    }
    TRY(new_line(out, style, depth));
    return out.add("}");
}

}  // namespace

Result<void> write_json(TextBuilder& out, Value value, const JsonStyle& style, int depth) {
    // Deeper than repr, since tool schemas arrive as deep as JSON may be.
    if (depth > kJsonMaxDepth) return too_nested();
    switch (value.kind()) {
        case Kind::none:
            return out.add("null");
        case Kind::boolean:
            return out.add(value.as_bool() ? "true" : "false");
        case Kind::integer:
            return out.add(concat(value.as_integer()));
        case Kind::real:
            return out.add(json_real(value.as_real()));
        case Kind::text:
            return write_json_text(out, value.as_text(), style.ensure_ascii);
        case Kind::list:
            return write_json_list(out, value.as_list(), style, depth);
        case Kind::dict:
            return write_json_dict(out, value.as_dict(), style, depth);
        case Kind::undefined:
        case Kind::object:
            break;
    }
    return template_error(concat("Object of type ", type_name(value), " is not JSON serializable"));
}

}  // namespace brigada::jinja
