#include "jinja/attribute_path.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/concat.h"
#include "jinja/operators.h"
#include "jinja/text_edit.h"
#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

/// A part of a path as a subscript: digits are an index.
Value subscript_of(std::string_view part) {
    int64_t index = 0;
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, index);
    const bool is_index = stop == end && error == std::errc() && !part.starts_with('-');
    return is_index ? Value::integer(index) : Value::text(part);
}

Result<Value> folded(Heap& heap, Value key, bool case_sensitive) {
    if (case_sensitive || !key.is_text()) return key;
    return heap.text(lower(key.as_text()));
}

}  // namespace

Result<Value> follow(Heap& heap, Value item, Value path, Value fallback) {
    if (path.is_undefined() || path.is_none()) return item;
    if (path.is_integral()) {
        TRY(item, get_item(heap, item, path));
    } else if (path.is_text()) {
        for (const std::string_view part :
             split_at(path.as_text(), ".", path.as_text().size() + 1)) {
            TRY(item, get_item(heap, item, subscript_of(part)));
            if (item.is_undefined() && !fallback.is_undefined()) return fallback;
        }
    } else {
        return template_error(
            concat("an attribute must be a string or an integer, not ", type_name(path)));
    }
    return item.is_undefined() && !fallback.is_undefined() ? fallback : item;
}

Result<Value> sort_key(Heap& heap, Value item, Value path, bool case_sensitive, bool many) {
    if (!many || !path.is_text() || !path.as_text().contains(',')) {
        TRY(const Value key, follow(heap, item, path));
        return folded(heap, key, case_sensitive);
    }
    List* keys = heap.list();
    for (const std::string_view one : split_at(path.as_text(), ",", path.as_text().size() + 1)) {
        TRY(const Value key, follow(heap, item, Value::text(one)));
        TRY(const Value as_compared, folded(heap, key, case_sensitive));
        keys->items.push_back(as_compared);
    }
    return Value(keys);
}

namespace {

/// Merges the sorted runs [first, middle) and [middle, last) of `order` through `merged`. A
/// comparison may fail, which no std algorithm allows.
Result<void> merge_runs(Heap& heap, std::span<const Value> keys, bool reverse,
                        std::span<const size_t> order, size_t middle, std::span<size_t> merged) {
    size_t left = 0, right = middle;
    for (size_t& out : merged) {
        bool takes_right = left == middle;
        if (left < middle && right < order.size()) {
            TRY(const auto compared, compare(heap, keys[order[right]], keys[order[left]]));
            takes_right = reverse ? compared > 0 : compared < 0;
        }
        out = takes_right ? order[right++] : order[left++];
    }
    return {};
}

}  // namespace

Result<List*> sorted(Heap& heap, std::span<const Value> items, std::span<const Value> keys,
                     bool reverse) {
    const size_t size = items.size();
    TRY(heap.room_for(size * sizeof(Value)));
    std::vector<size_t> order(size), merged(size);
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t run = 1; run < size; run *= 2) {
        for (size_t first = 0; first < size; first += 2 * run) {
            const size_t length = std::min(2 * run, size - first);
            TRY(merge_runs(heap, keys, reverse, std::span(order).subspan(first, length),
                           std::min(run, length), std::span(merged).subspan(first, length)));
        }
        order.swap(merged);
    }
    List* out = heap.list();
    out->items.reserve(size);
    for (const size_t i : order)
        out->items.push_back(items[i]);
    return out;
}

}  // namespace brigada::jinja
