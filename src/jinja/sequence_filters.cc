// Filters of sequences and mappings: length, first, join, sort, groupby and their like.
#include "jinja/arguments.h"
#include "jinja/attribute_path.h"
#include "jinja/filters.h"
#include "jinja/operators.h"
#include "jinja/text_of.h"
#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

Result<Value> default_filter(Heap&, Value value, const Args& args) {
    TRY(const auto given, bind("default", args, {"default_value", "boolean"}));
    const bool replaces = value.is_undefined() || (bool_or(given[1], false) && !truthy(value));
    if (!replaces) return value;
    return args.positional.empty() && given[0].is_undefined() ? Value::text("") : given[0];
}

Result<Value> length_filter(Heap&, Value value, const Args& args) {
    TRY(bind_nothing("length", args));
    TRY(const int64_t size, length_of(value));
    return Value::integer(size);
}

Result<Value> first(Heap& heap, Value value, const Args& args) {
    TRY(bind_nothing("first", args));
    TRY(const std::span<const Value> items, items_of(heap, value));
    return items.empty() ? Value::undefined("the first item of an empty sequence") : items.front();
}

Result<Value> last(Heap& heap, Value value, const Args& args) {
    TRY(bind_nothing("last", args));
    TRY(const std::span<const Value> items, items_of(heap, value));
    return items.empty() ? Value::undefined("the last item of an empty sequence") : items.back();
}

Result<Value> list(Heap& heap, Value value, const Args& args) {
    TRY(bind_nothing("list", args));
    TRY(const std::span<const Value> items, items_of(heap, value));
    return Value(heap.list(items));
}

Result<Value> reverse(Heap& heap, Value value, const Args& args) {
    TRY(bind_nothing("reverse", args));
    if (value.is_text())
        return slice(heap, value, Value::none(), Value::none(), Value::integer(-1));
    TRY(const std::span<const Value> items, items_of(heap, value));
    List* out = heap.list(items);
    std::ranges::reverse(out->items);
    return Value(out);
}

Result<Value> join(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("join", args, {"d", "attribute"}));
    TRY(const std::string_view separator, text_of(heap, given[0]));
    TRY(const std::span<const Value> items, items_of(heap, value));
    TextBuilder out(heap);
    for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) TRY(out.add(separator));
        TRY(const Value item, follow(heap, items[i], given[1]));
        TRY(write_text(out, item));
    }
    return out.finish();
}

// --- order ------------------------------------------------------------------------------------

Result<List*> keys_of(Heap& heap, std::span<const Value> items, Value path, bool case_sensitive,
                      bool many = false) {
    List* keys = heap.list();
    keys->items.reserve(items.size());
    for (const Value& item : items) {
        TRY(const Value key, sort_key(heap, item, path, case_sensitive, many));
        keys->items.push_back(key);
    }
    return keys;
}

Result<Value> sort(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("sort", args, {"reverse", "case_sensitive", "attribute"}));
    TRY(const std::span<const Value> items, items_of(heap, value));
    TRY(const List* keys, keys_of(heap, items, given[2], bool_or(given[1], false), true));
    TRY(List * out, sorted(heap, items, keys->items, bool_or(given[0], false)));
    return Value(out);
}

Result<Value> dictsort(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("dictsort", args, {"case_sensitive", "by", "reverse"}));
    TRY(const std::string_view by, text_or(given[1], "key", "dictsort's by"));
    if (by != "key" && by != "value")
        return template_error("You can only sort by either \"key\" or \"value\"");
    if (value.is_undefined()) return undefined_error(value);
    if (!value.is(Kind::dict))
        return template_error(concat("dictsort needs a mapping, not ", type_name(value)));
    List* pairs = heap.list();
    for (const auto& [key, item] : value.as_dict().entries()) {
        const Value pair[] = {key, item};
        pairs->items.push_back(Value(heap.tuple(pair)));
    }
    const Value path = Value::integer(by == "key" ? 0 : 1);
    TRY(const List* keys, keys_of(heap, pairs->items, path, bool_or(given[0], false)));
    TRY(List * out, sorted(heap, pairs->items, keys->items, bool_or(given[2], false)));
    return Value(out);
}

Result<Value> extreme(Heap& heap, Value value, const Args& args, std::string_view name,
                      bool greatest) {
    TRY(const auto given, bind(name, args, {"case_sensitive", "attribute"}));
    TRY(const std::span<const Value> items, items_of(heap, value));
    if (items.empty()) return Value::undefined("an item of an empty sequence");
    TRY(const List* keys, keys_of(heap, items, given[1], bool_or(given[0], false)));
    size_t best = 0;
    for (size_t i = 1; i < items.size(); ++i) {
        TRY(const auto order, compare(heap, keys->items[i], keys->items[best]));
        if (greatest ? order > 0 : order < 0) best = i;
    }
    return items[best];
}
Result<Value> min(Heap& heap, Value value, const Args& args) {
    return extreme(heap, value, args, "min", false);
}
Result<Value> max(Heap& heap, Value value, const Args& args) {
    return extreme(heap, value, args, "max", true);
}

Result<Value> unique(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("unique", args, {"case_sensitive", "attribute"}));
    TRY(const std::span<const Value> items, items_of(heap, value));
    TRY(const List* keys, keys_of(heap, items, given[1], bool_or(given[0], false)));
    List* seen = heap.list();
    List* out = heap.list();
    for (size_t i = 0; i < items.size(); ++i) {
        TRY(const bool is_known, contains(heap, Value(seen), keys->items[i]));
        if (is_known) continue;
        seen->items.push_back(keys->items[i]);
        out->items.push_back(items[i]);
    }
    return Value(out);
}

/// Tuples (key, items), in the order of the keys; the key as the group's first item has it.
Result<Value> groupby(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("groupby", args, {"attribute", "default", "case_sensitive"}, 1));
    const bool case_sensitive = bool_or(given[2], false);
    TRY(const std::span<const Value> items, items_of(heap, value));
    List* pairs = heap.list();  // (as compared, as written, item)
    List* keys = heap.list();
    for (const Value& item : items) {
        TRY(const Value key, follow(heap, item, given[0], given[1]));
        TRY(const Value as_compared, sort_key(heap, key, Value(), case_sensitive));
        const Value entry[] = {as_compared, key, item};
        keys->items.push_back(as_compared);
        pairs->items.push_back(Value(heap.tuple(entry)));
    }
    TRY(const List* ordered, sorted(heap, pairs->items, keys->items, false));
    List* out = heap.list();
    List* group = nullptr;
    Value last_key;
    for (const Value& entry : ordered->items) {
        const auto& parts = entry.as_list().items;
        TRY(const bool same, equal(heap, last_key, parts[0]));
        if (!group || !same) {
            group = heap.list();
            const Value pair[] = {parts[1], Value(group)};
            out->items.push_back(Value(heap.tuple(pair)));
        }
        group->items.push_back(parts[2]);
        last_key = parts[0];
    }
    return Value(out);
}

// --- other ------------------------------------------------------------------------------------

Result<Value> sum(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("sum", args, {"attribute", "start"}));
    TRY(const std::span<const Value> items, items_of(heap, value));
    Value total = given[1].is_undefined() ? Value::integer(0) : given[1];
    for (const Value& item : items) {
        TRY(const Value addend, follow(heap, item, given[0]));
        TRY(total, apply(heap, Binary::Op::add, total, addend));
    }
    return total;
}

/// A list of lists of `count` items; the last one filled up when there is something to fill it
/// with.
Result<Value> batch(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("batch", args, {"linecount", "fill_with"}, 1));
    TRY(const int64_t count, expect_integer(given[0], "batch's linecount"));
    if (count < 1)
        return template_error(concat("batch's linecount must be at least 1, not ", count));
    TRY(const std::span<const Value> items, items_of(heap, value));
    List* out = heap.list();
    for (const Value& item : items) {
        if (out->items.empty() ||
            static_cast<int64_t>(out->items.back().as_list().items.size()) == count)
            out->items.push_back(Value(heap.list()));
        out->items.back().as_list().items.push_back(item);
    }
    if (out->items.empty() || given[1].is_undefined() || given[1].is_none()) return Value(out);
    auto& last_one = out->items.back().as_list().items;
    const size_t missing = static_cast<size_t>(count) - last_one.size();
    TRY(heap.room_for(std::min(missing, heap.limits().max_heap_bytes) * sizeof(Value)));
    last_one.insert(last_one.end(), missing, given[1]);
    return Value(out);
}

/// `count` lists of nearly equal size, the longer ones first; shorter ones filled up.
Result<Value> slice_filter(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("slice", args, {"slices", "fill_with"}, 1));
    TRY(const int64_t count, expect_integer(given[0], "slice's slices"));
    if (count < 1) return template_error(concat("slice's slices must be at least 1, not ", count));
    TRY(const std::span<const Value> items, items_of(heap, value));
    const auto slices = static_cast<size_t>(count);
    TRY(heap.room_for(std::min(slices, heap.limits().max_heap_bytes) * sizeof(List)));
    TRY(heap.work(slices));
    const bool fills = !given[1].is_undefined() && !given[1].is_none();
    const size_t longer = items.size() % slices;
    List* out = heap.list();
    size_t at = 0;
    for (size_t i = 0; i < slices; ++i) {
        const size_t size = items.size() / slices + (i < longer);
        List* part = heap.list(items.subspan(at, size));
        if (fills && i >= longer && longer > 0) part->items.push_back(given[1]);
        out->items.push_back(Value(part));
        at += size;
    }
    return Value(out);
}

Result<Value> items_filter(Heap& heap, Value value, const Args& args) {
    TRY(bind_nothing("items", args));
    List* out = heap.list();
    if (value.is_undefined()) return Value(out);
    if (!value.is(Kind::dict)) return template_error("Can only get item pairs from a mapping.");
    for (const auto& [key, item] : value.as_dict().entries()) {
        const Value pair[] = {key, item};
        out->items.push_back(Value(heap.tuple(pair)));
    }
    return Value(out);
}

/// The attribute alone, never an item: methods, and what loop and namespace hold.
Result<Value> attr(Heap& heap, Value value, const Args& args) {
    TRY(const auto given, bind("attr", args, {"name"}, 1));
    TRY(const std::string_view name, text_of(heap, given[0]));
    if (value.is(Kind::dict) && value.as_dict().find(name))
        return Value::undefined(name, Kind::dict);
    return get_attribute(heap, value, name);
}

}  // namespace

std::span<const NamedFilter> sequence_filters() {
    static constexpr NamedFilter kFilters[] = {{"default", default_filter},
                                               {"d", default_filter},
                                               {"length", length_filter},
                                               {"count", length_filter},
                                               {"first", first},
                                               {"last", last},
                                               {"list", list},
                                               {"reverse", reverse},
                                               {"join", join},
                                               {"sort", sort},
                                               {"dictsort", dictsort},
                                               {"min", min},
                                               {"max", max},
                                               {"unique", unique},
                                               {"groupby", groupby},
                                               {"sum", sum},
                                               {"batch", batch},
                                               {"slice", slice_filter},
                                               {"items", items_filter},
                                               {"attr", attr}};
    return kFilters;
}

}  // namespace brigada::jinja
