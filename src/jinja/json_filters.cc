// Filters between values and JSON: tojson as transformers defines it, and from_json.
#include "jinja/arguments.h"
#include "jinja/filters.h"
#include "jinja/operators.h"
#include "jinja/text_of.h"

namespace brigada::jinja {

namespace {

constexpr int64_t kMaxIndent = 100;

/// One level's indent of json.dumps' argument: a number of spaces or a text.
Result<std::optional<std::string_view>> indent_of(Heap& heap, Value indent) {
    if (indent.is_undefined() || indent.is_none()) return std::optional<std::string_view>();
    if (indent.is_text()) return std::optional(indent.as_text());
    TRY(const int64_t width, expect_integer(indent, "tojson's indent"));
    if (width > kMaxIndent)
        return template_error(concat("tojson's indent is at most ", kMaxIndent, ", not ", width));
    TRY(const Value spaces, heap.text(std::string(size_t(std::max<int64_t>(width, 0)), ' ')));
    return std::optional(spaces.as_text());
}

Result<void> set_separators(Heap& heap, JsonStyle& style, Value separators) {
    if (separators.is_undefined() || separators.is_none()) {
        if (style.indent) style.item_separator = ",";  // no space at the end of a line
        return {};
    }
    TRY(const std::span<const Value> pair, items_of(heap, separators));
    if (pair.size() != 2) return template_error("tojson's separators are two strings");
    TRY(style.item_separator, expect_text(pair[0], "tojson's item separator"));
    TRY(style.key_separator, expect_text(pair[1], "tojson's key separator"));
    return {};
}

Result<Value> tojson(Heap& heap, Value value, const Args& args) {
    TRY(const auto given,
        bind("tojson", args, {"ensure_ascii", "indent", "separators", "sort_keys"}));
    JsonStyle style;
    style.ensure_ascii = bool_or(given[0], false);
    style.sort_keys = bool_or(given[3], false);
    TRY(style.indent, indent_of(heap, given[1]));
    TRY(set_separators(heap, style, given[2]));
    TextBuilder out(heap);
    TRY(write_json(out, value, style));
    return out.finish();
}

Result<Value> from_json(Heap& heap, Value value, const Args& args) {
    TRY(bind_nothing("from_json", args));
    TRY(const std::string_view text, expect_text(value, "from_json's value"));
    // A JSON tree takes up to 40 times its text: "[0,0,0" is 16 bytes of node for every 2.
    constexpr size_t kBytesPerByte = 40;
    if (text.size() > heap.limits().max_heap_bytes) TRY(heap.room_for(text.size()));
    TRY(heap.room_for(text.size() * kBytesPerByte));
    TRY(Json json, parse_json(text, "from_json"));
    return heap.from_json(std::move(json));
}

}  // namespace

std::span<const NamedFilter> json_filters() {
    static constexpr NamedFilter kFilters[] = {{"tojson", tojson}, {"from_json", from_json}};
    return kFilters;
}

}  // namespace brigada::jinja
