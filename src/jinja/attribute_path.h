// Attribute paths: the attribute="a.b.0" of filters, and the keys by which they sort and group.
#pragma once

#include "jinja/heap.h"

namespace brigada::jinja {

/// item.a.b[0] for "a.b.0", item[n] for the number n, the item itself for undefined or none. Where
/// something on the way is undefined the result is `fallback`, or undefined when that is so too.
Result<Value> follow(Heap& heap, Value item, Value path, Value fallback = {});

/// As follow, for sorting: texts in lower case unless `case_sensitive`; with `many`, a path "a,b"
/// gives a list of both keys.
Result<Value> sort_key(Heap& heap, Value item, Value path, bool case_sensitive, bool many = false);

/// `items` in the order of `keys` (one for each), equal ones as they were. `reverse` turns the
/// order but not that of equal ones. An error when keys have no order.
Result<List*> sorted(Heap& heap, std::span<const Value> items, std::span<const Value> keys,
                     bool reverse);

}  // namespace brigada::jinja
