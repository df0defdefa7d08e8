// Filters that apply a test or filter to each item: select, reject, selectattr, rejectattr and map.
#include "jinja/arguments.h"
#include "jinja/attribute_path.h"
#include "jinja/filters.h"
#include "jinja/operators.h"
#include "jinja/tests.h"

namespace brigada::jinja {

namespace {

/// The test that arguments from `first` on name, with what is passed to it; truth when there is
/// none.
struct Chosen {
    Test test = nullptr;
    Args args;
};

Result<Chosen> choose_test(const Args& args, size_t first) {
    if (args.positional.size() <= first) return Chosen{};
    TRY(const std::string_view name, expect_text(args.positional[first], "a test's name"));
    const Test test = find_test(name);
    if (!test) return template_error(concat("No test named '", name, "' found."));
    return Chosen{test, {args.positional.subspan(first + 1), args.named}};
}

Result<bool> passes(Heap& heap, const Chosen& chosen, Value value) {
    TRY(heap.work(1));
    if (!chosen.test) return truthy(value);
    return chosen.test(heap, value, chosen.args);
}

/// The items whose value at `path` passes the test, or with `keep` false those whose does not.
Result<Value> filtered(Heap& heap, Value value, Value path, const Chosen& chosen, bool keep) {
    TRY(const std::span<const Value> items, items_of(heap, value));
    List* out = heap.list();
    for (const Value& item : items) {
        TRY(const Value tested, follow(heap, item, path));
        TRY(const bool passed, passes(heap, chosen, tested));
        if (passed == keep) out->items.push_back(item);
    }
    return Value(out);
}

template <bool keep>
Result<Value> select(Heap& heap, Value value, const Args& args) {
    TRY(const Chosen chosen, choose_test(args, 0));
    return filtered(heap, value, Value(), chosen, keep);
}

template <bool keep>
Result<Value> select_attribute(Heap& heap, Value value, const Args& args) {
    if (args.positional.empty())
        return template_error("selectattr and rejectattr need an attribute's name");
    TRY(const Chosen chosen, choose_test(args, 1));
    return filtered(heap, value, args.positional[0], chosen, keep);
}

Result<Value> map_attribute(Heap& heap, std::span<const Value> items, const Args& args) {
    TRY(const auto given, bind("map", args, {"attribute", "default"}));
    List* out = heap.list();
    for (const Value& item : items) {
        TRY(const Value mapped, follow(heap, item, given[0], given[1]));
        out->items.push_back(mapped);
    }
    return Value(out);
}

Result<Value> map(Heap& heap, Value value, const Args& args) {
    TRY(const std::span<const Value> items, items_of(heap, value));
    if (args.positional.empty() && !args.named.empty()) return map_attribute(heap, items, args);
    if (args.positional.empty()) return template_error("map requires a filter argument");
    TRY(const std::string_view name, expect_text(args.positional[0], "a filter's name"));
    const Filter filter = find_filter(name);
    if (!filter) return template_error(concat("No filter named '", name, "' found."));
    // map('map', 'map', ...) nests as deep as it has arguments, each a node of the template.
    const Args rest{args.positional.subspan(1), args.named};
    List* out = heap.list();
    for (const Value& item : items) {
        TRY(heap.work(1));
        TRY(const Value mapped, filter(heap, item, rest));
        out->items.push_back(mapped);
    }
    return Value(out);
}

}  // namespace

std::span<const NamedFilter> selection_filters() {
    static constexpr NamedFilter kFilters[] = {{"select", select<true>},
                                               {"reject", select<false>},
                                               {"selectattr", select_attribute<true>},
                                               {"rejectattr", select_attribute<false>},
                                               {"map", map}};
    return kFilters;
}

}  // namespace brigada::jinja
