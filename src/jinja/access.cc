// Attributes, subscripts and slices: how a template reaches into a value.
#include <algorithm>
#include <limits>

#include "base/concat.h"
#include "jinja/methods.h"
#include "jinja/operators.h"
#include "jinja/text_of.h"
#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

/// Where in a sequence of `size` the index points, counting from the end when negative.
std::optional<size_t> place(int64_t index, size_t size) {
    const auto n = static_cast<int64_t>(size);
    if (index < -n || index >= n) return std::nullopt;
    return static_cast<size_t>(index < 0 ? index + n : index);
}

std::optional<Value> item_at(std::string_view text, int64_t index) {
    const auto at = place(index, index < 0 ? length(text) : text.size());
    if (!at) return std::nullopt;
    const size_t offset = offset_of(text, *at);
    if (offset >= text.size()) return std::nullopt;
    return Value::text(character_at(text, offset).bytes);
}

std::optional<Value> item_at(const List& list, int64_t index) {
    const auto at = place(index, list.items.size());
    if (!at) return std::nullopt;
    return list.items[*at];
}

/// The item itself, without a look at attributes.
std::optional<Value> find_item(Value object, Value key) {
    if (object.is(Kind::dict)) {
        const Value* found = object.as_dict().find(key);
        return found ? std::optional(*found) : std::nullopt;
    }
    if (!key.is_integral()) return std::nullopt;
    if (object.is(Kind::list)) return item_at(object.as_list(), key.as_integer());
    if (object.is_text()) return item_at(object.as_text(), key.as_integer());
    return std::nullopt;
}

/// A method or an object's attribute.
std::optional<Value> find_attribute(Heap& heap, Value object, std::string_view name) {
    if (object.is(Kind::object)) return object.as_object().attribute(name);
    if (const Method method = find_method(object, name))
        return Value(heap.make<BoundMethod>(heap, object, method));
    return std::nullopt;
}

}  // namespace

Result<Value> get_attribute(Heap& heap, Value object, std::string_view name) {
    if (object.is_undefined()) return undefined_error(object);
    if (const auto found = find_attribute(heap, object, name)) return *found;
    if (object.is(Kind::dict))
        if (const Value* found = object.as_dict().find(name)) return *found;
    return Value::undefined(name, object.kind());
}

Result<Value> get_item(Heap& heap, Value object, Value key) {
    if (object.is_undefined()) return undefined_error(object);
    TRY(heap.work(object.is_text() ? work_of_bytes(object.as_text().size()) : 1));
    if (const auto found = find_item(object, key)) return *found;
    if (!key.is_text()) {
        TRY(const std::string_view name, text_of(heap, key));
        return Value::undefined(name, object.kind());
    }
    if (const auto found = find_attribute(heap, object, key.as_text())) return *found;
    return Value::undefined(key.as_text(), object.kind());
}

// --- slices -----------------------------------------------------------------------------------

namespace {

/// Indices start, start + step, ... up to but without stop, all within a sequence.
struct Range {
    int64_t start;
    int64_t stop;
    int64_t step;
};

Result<std::optional<int64_t>> bound(Value value) {
    if (value.is_none()) return std::optional<int64_t>();
    if (!value.is_integral())
        return template_error(
            concat("slice indices must be integers or None, not ", type_name(value)));
    return std::optional<int64_t>(value.as_integer());
}

/// As Python clips the bounds of a slice to a sequence of `size`.
Result<Range> clip(Value start, Value stop, Value step, int64_t size) {
    TRY(const auto by, bound(step));
    TRY(const auto from, bound(start));
    TRY(const auto to, bound(stop));
    // A step longer than any sequence visits one item, whatever it is: clip it, so that sums fit.
    constexpr int64_t kLongest = std::numeric_limits<int64_t>::max() / 4;
    Range out{0, 0, std::clamp(by.value_or(1), -kLongest, kLongest)};
    if (out.step == 0) return template_error("slice step cannot be zero");
    const int64_t lowest = out.step > 0 ? 0 : -1;
    const int64_t highest = out.step > 0 ? size : size - 1;
    const auto clipped = [&](int64_t index) {
        return std::clamp(index < 0 ? index + size : index, lowest, highest);
    };
    out.start = from ? clipped(*from) : (out.step > 0 ? lowest : highest);
    out.stop = to ? clipped(*to) : (out.step > 0 ? highest : lowest);
    return out;
}

/// Calls visit(index) for each index of the range.
template <typename Visit>
void each(Range range, Visit visit) {
    for (int64_t i = range.start; range.step > 0 ? i < range.stop : i > range.stop; i += range.step)
        visit(static_cast<size_t>(i));
}

Result<Value> slice_text(Heap& heap, std::string_view text, Value start, Value stop, Value step) {
    TRY(heap.work(work_of_bytes(text.size())));
    TRY(const Range range, clip(start, stop, step, static_cast<int64_t>(length(text))));
    if (range.step == 1) {
        if (range.start >= range.stop) return Value::text("");
        const size_t first = offset_of(text, static_cast<size_t>(range.start));
        const size_t size =
            offset_of(text.substr(first), static_cast<size_t>(range.stop - range.start));
        return Value::text(text.substr(first, size));
    }
    TRY(heap.room_for(text.size() * sizeof(Character)));
    TRY(heap.work(text.size()));
    const std::vector<Character> all = characters(text);
    std::string out;
    each(range, [&](size_t i) { out += all[i].bytes; });
    return heap.text(std::move(out));
}

Result<Value> slice_list(Heap& heap, const List& list, Value start, Value stop, Value step) {
    TRY(heap.room_for(list.items.size() * sizeof(Value)));
    TRY(heap.work(list.items.size()));
    TRY(const Range range, clip(start, stop, step, static_cast<int64_t>(list.items.size())));
    List* out = heap.list();
    out->is_tuple = list.is_tuple;
    each(range, [&](size_t i) { out->items.push_back(list.items[i]); });
    return Value(out);
}

}  // namespace

Result<Value> slice(Heap& heap, Value object, Value start, Value stop, Value step) {
    if (object.is_undefined()) return undefined_error(object);
    if (object.is_text()) return slice_text(heap, object.as_text(), start, stop, step);
    if (object.is(Kind::list)) return slice_list(heap, object.as_list(), start, stop, step);
    return Value::undefined("a slice", object.kind());
}

}  // namespace brigada::jinja
