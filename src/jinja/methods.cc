#include "jinja/methods.h"

#include "jinja/arguments.h"
#include "jinja/operators.h"

namespace brigada::jinja {

namespace {

// --- list -------------------------------------------------------------------------------------

Result<Value> append(Heap& heap, Value self, const Args& args) {
    TRY(const auto given, bind("append", args, {"object"}, 1));
    self.as_list().items.push_back(given[0]);
    TRY(heap.work(1));
    return Value::none();
}

Result<Value> extend(Heap& heap, Value self, const Args& args) {
    TRY(const auto given, bind("extend", args, {"iterable"}, 1));
    TRY(const std::span<const Value> more, items_of(heap, given[0]));
    TRY(heap.room_for(more.size() * sizeof(Value)));
    const std::vector<Value> copy(more.begin(), more.end());  // it may be the list itself
    auto& items = self.as_list().items;
    items.insert(items.end(), copy.begin(), copy.end());
    return Value::none();
}

Result<Value> insert(Heap& heap, Value self, const Args& args) {
    TRY(const auto given, bind("insert", args, {"index", "object"}, 2));
    TRY(int64_t at, expect_integer(given[0], "insert()'s index"));
    auto& items = self.as_list().items;
    const auto size = static_cast<int64_t>(items.size());
    at = std::clamp(at < 0 ? at + size : at, int64_t{0}, size);
    items.insert(items.begin() + at, given[1]);
    TRY(heap.work(1));
    return Value::none();
}

Result<Value> pop_item(Heap&, Value self, const Args& args) {
    TRY(const auto given, bind("pop", args, {"index"}));
    TRY(int64_t at, integer_or(given[0], -1, "pop()'s index"));
    auto& items = self.as_list().items;
    const auto size = static_cast<int64_t>(items.size());
    if (size == 0) return template_error("pop from empty list");
    if (at < -size || at >= size) return template_error("pop index out of range");
    if (at < 0) at += size;
    const Value popped = items[static_cast<size_t>(at)];
    items.erase(items.begin() + at);
    return popped;
}

/// Where the first item equal to `wanted` is; the size when nowhere.
Result<size_t> position_of(Heap& heap, const List& list, Value wanted) {
    for (size_t i = 0; i < list.items.size(); ++i) {
        TRY(const bool same, equal(heap, list.items[i], wanted));
        if (same) return i;
    }
    return list.items.size();
}

Result<Value> remove(Heap& heap, Value self, const Args& args) {
    TRY(const auto given, bind("remove", args, {"value"}, 1));
    auto& items = self.as_list().items;
    TRY(const size_t at, position_of(heap, self.as_list(), given[0]));
    if (at == items.size()) return template_error("list.remove(x): x not in list");
    items.erase(items.begin() + static_cast<ptrdiff_t>(at));
    return Value::none();
}

Result<Value> index(Heap& heap, Value self, const Args& args) {
    TRY(const auto given, bind("index", args, {"value"}, 1));
    TRY(const size_t at, position_of(heap, self.as_list(), given[0]));
    if (at == self.as_list().items.size()) return template_error("the value is not in the list");
    return Value::integer(static_cast<int64_t>(at));
}

Result<Value> count(Heap& heap, Value self, const Args& args) {
    TRY(const auto given, bind("count", args, {"value"}, 1));
    int64_t n = 0;
    for (const Value& item : self.as_list().items) {
        TRY(const bool same, equal(heap, item, given[0]));
        n += same;
    }
    return Value::integer(n);
}

Result<Value> reverse(Heap&, Value self, const Args& args) {
    TRY(bind_nothing("reverse", args));
    std::ranges::reverse(self.as_list().items);
    return Value::none();
}

Result<Value> clear_list(Heap&, Value self, const Args& args) {
    TRY(bind_nothing("clear", args));
    self.as_list().items.clear();
    return Value::none();
}

Result<Value> copy_list(Heap& heap, Value self, const Args& args) {
    TRY(bind_nothing("copy", args));
    TRY(heap.room_for(self.as_list().items.size() * sizeof(Value)));
    return Value(heap.list(self.as_list().items));
}

// --- dict -------------------------------------------------------------------------------------

Result<Value> items(Heap& heap, Value self, const Args& args) {
    TRY(bind_nothing("items", args));
    List* out = heap.list();
    for (const auto& [key, value] : self.as_dict().entries()) {
        const Value pair[] = {key, value};
        out->items.push_back(Value(heap.tuple(pair)));
    }
    return Value(out);
}

Result<Value> keys(Heap& heap, Value self, const Args& args) {
    TRY(bind_nothing("keys", args));
    TRY(const std::span<const Value> all, items_of(heap, self));
    return Value(heap.list(all));
}

Result<Value> values(Heap& heap, Value self, const Args& args) {
    TRY(bind_nothing("values", args));
    List* out = heap.list();
    for (const auto& [key, value] : self.as_dict().entries())
        out->items.push_back(value);
    return Value(out);
}

Result<Value> get(Heap&, Value self, const Args& args) {
    TRY(const auto given, bind("get", args, {"key", "default"}, 1));
    if (const Value* found = self.as_dict().find(given[0])) return *found;
    return args.positional.size() + args.named.size() > 1 ? given[1] : Value::none();
}

Error no_key(Value key) {
    return template_error(key.is_text() ? concat("there is no key '", key.as_text(), "'")
                                        : std::string("there is no such key"));
}

Result<Value> pop_key(Heap&, Value self, const Args& args) {
    TRY(const auto given, bind("pop", args, {"key", "default"}, 1));
    Dict& dict = self.as_dict();
    const Value* found = dict.find(given[0]);
    if (!found && args.positional.size() + args.named.size() > 1) return given[1];
    if (!found) return no_key(given[0]);
    const Value popped = *found;
    dict.erase(given[0]);
    return popped;
}

Result<Value> popitem(Heap& heap, Value self, const Args& args) {
    TRY(bind_nothing("popitem", args));
    Dict& dict = self.as_dict();
    if (dict.size() == 0) return template_error("popitem(): dictionary is empty");
    const auto [key, value] = dict.entries().back();
    dict.erase(key);
    const Value pair[] = {key, value};
    return Value(heap.tuple(pair));
}

Result<Value> setdefault(Heap& heap, Value self, const Args& args) {
    TRY(const auto given, bind("setdefault", args, {"key", "default"}, 1));
    if (const Value* found = self.as_dict().find(given[0])) return *found;
    if (!Dict::is_key(given[0]))
        return template_error(concat("unhashable type: '", type_name(given[0]), "'"));
    const Value value = args.positional.size() + args.named.size() > 1 ? given[1] : Value::none();
    self.as_dict().set(given[0], value);
    TRY(heap.work(1));
    return value;
}

Result<Value> update(Heap& heap, Value self, const Args& args) {
    if (args.positional.size() > 1) return template_error("update expected at most 1 argument");
    Dict& dict = self.as_dict();
    if (args.positional.size() == 1) {
        if (!args.positional[0].is(Kind::dict))
            return template_error(
                concat("update() needs a mapping, not ", type_name(args.positional[0])));
        const Dict& other = args.positional[0].as_dict();
        TRY(heap.room_for(other.size() * sizeof(Dict::Entry)));
        if (&other != &dict)
            for (const auto& [key, value] : other.entries())
                dict.set(key, value);
    }
    for (const auto& [name, value] : args.named)
        dict.set(Value::text(name), value);
    return Value::none();
}

Result<Value> clear_dict(Heap&, Value self, const Args& args) {
    TRY(bind_nothing("clear", args));
    self.as_dict().clear();
    return Value::none();
}

Result<Value> copy_dict(Heap& heap, Value self, const Args& args) {
    TRY(bind_nothing("copy", args));
    TRY(heap.room_for(self.as_dict().size() * sizeof(Dict::Entry)));
    Dict* out = heap.dict();
    for (const auto& [key, value] : self.as_dict().entries())
        out->set(key, value);
    return Value(out);
}

Method find_in(std::span<const NamedMethod> methods, std::string_view name) {
    const auto found = std::ranges::find(methods, name, &NamedMethod::name);
    return found == methods.end() ? nullptr : found->method;
}

bool only_reads(std::string_view name) {
    return name == "index" || name == "count";
}

}  // namespace

std::span<const NamedMethod> list_methods() {
    static constexpr NamedMethod kMethods[] = {
        {"append", append},    {"extend", extend}, {"insert", insert}, {"pop", pop_item},
        {"remove", remove},    {"index", index},   {"count", count},   {"reverse", reverse},
        {"clear", clear_list}, {"copy", copy_list}};
    return kMethods;
}

std::span<const NamedMethod> dict_methods() {
    static constexpr NamedMethod kMethods[] = {
        {"items", items},           {"keys", keys},       {"values", values}, {"get", get},
        {"pop", pop_key},           {"popitem", popitem}, {"update", update}, {"copy", copy_dict},
        {"setdefault", setdefault}, {"clear", clear_dict}};
    return kMethods;
}

Method find_method(Value self, std::string_view name) {
    switch (self.kind()) {
        case Kind::text:
            return find_in(text_methods(), name);
        case Kind::dict:
            return find_in(dict_methods(), name);
        case Kind::list:
            if (self.as_list().is_tuple && !only_reads(name)) return nullptr;
            return find_in(list_methods(), name);
        default:
            return nullptr;
    }
}

}  // namespace brigada::jinja
