// Operators: Python's arithmetic, comparisons, subscripts, slices and iteration over Values.
#pragma once

#include <compare>
#include <span>

#include "jinja/heap.h"
#include "jinja/tree.h"

namespace brigada::jinja {

/// a op b. Integers are of 64 bits: a result beyond them is an error, as is a zero divisor.
Result<Value> apply(Heap& heap, Binary::Op op, Value a, Value b);
Result<Value> apply(Unary::Op op, Value value);

/// a == b: never an error but for values nested too deep.
Result<bool> equal(Heap& heap, Value a, Value b, int depth = 0);
/// Order of numbers, texts and lists; an error for kinds that have none, as in Python. Unordered
/// only with NaN.
Result<std::partial_ordering> compare(Heap& heap, Value a, Value b, int depth = 0);
/// a op b for any comparison.
Result<bool> holds(Heap& heap, Comparison::Op op, Value a, Value b);
/// item in container: part of a text, item of a list, key of a dict.
Result<bool> contains(Heap& heap, Value container, Value item);

/// object.name, as Jinja looks it up: a method or attribute, else the dict's item, else undefined.
Result<Value> get_attribute(Heap& heap, Value object, std::string_view name);
/// object[key]: the item, else a method or attribute, else undefined.
Result<Value> get_item(Heap& heap, Value object, Value key);
/// object[start:stop:step]; none where a bound was left out.
Result<Value> slice(Heap& heap, Value object, Value start, Value stop, Value step);

/// What a loop over `value` visits: items, keys, characters. Stays valid when the list changes.
Result<std::span<const Value>> items_of(Heap& heap, Value value);
/// len().
Result<int64_t> length_of(Value value);

}  // namespace brigada::jinja
