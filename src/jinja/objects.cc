#include "jinja/objects.h"

#include "base/concat.h"
#include "jinja/arguments.h"
#include "jinja/operators.h"
#include "jinja/strftime.h"
#include "jinja/text_of.h"

namespace brigada::jinja {

// --- namespace --------------------------------------------------------------------------------

std::optional<Value> Namespace::attribute(std::string_view name) {
    const Value* found = values_->find(name);
    return found ? std::optional(*found) : std::nullopt;
}

Result<void> Namespace::set_attribute(std::string_view name, Value value) {
    values_->set(Value::text(name), value);
    return {};
}

// --- loop -------------------------------------------------------------------------------------

namespace {

/// loop.cycle and loop.changed, taken from their loop.
class LoopMethod final : public Object {
  public:
    LoopMethod(Loop& loop, bool is_cycle) : loop_(loop), is_cycle_(is_cycle) {}
    std::string_view type_name() const override { return "method"; }
    bool is_callable() const override { return true; }
    Result<Value> call(const Args& args) override {
        return is_cycle_ ? loop_.cycle(args) : loop_.changed(args);
    }

  private:
    Loop& loop_;
    bool is_cycle_;
};

}  // namespace

std::optional<Value> Loop::attribute(std::string_view name) {
    const auto index = static_cast<int64_t>(index_);
    const auto size = static_cast<int64_t>(items_.size());
    if (name == "index0") return Value::integer(index);
    if (name == "index") return Value::integer(index + 1);
    if (name == "first") return Value::boolean(index == 0);
    if (name == "last") return Value::boolean(index + 1 == size);
    if (name == "length") return Value::integer(size);
    if (name == "revindex") return Value::integer(size - index);
    if (name == "revindex0") return Value::integer(size - index - 1);
    if (name == "depth0") return Value::integer(0);  // counts recursive loops only, as in Jinja
    if (name == "depth") return Value::integer(1);
    if (name == "previtem")
        return index > 0 ? items_[index_ - 1] : Value::undefined("there is no previous item");
    if (name == "nextitem")
        return index + 1 < size ? items_[index_ + 1] : Value::undefined("there is no next item");
    if (name == "cycle" || name == "changed")
        return Value(heap_.make<LoopMethod>(*this, name == "cycle"));
    return std::nullopt;
}

Result<Value> Loop::cycle(const Args& args) const {
    if (args.positional.empty()) return template_error("no items for cycling given");
    return args.positional[index_ % args.positional.size()];
}

Result<Value> Loop::changed(const Args& args) {
    List* now = heap_.tuple(args.positional);
    bool same = false;
    if (last_changed_) {
        TRY(same, equal(heap_, Value(last_changed_), Value(now)));
    }
    last_changed_ = now;
    return Value::boolean(!same);
}

// --- functions --------------------------------------------------------------------------------

Result<Value> Raise::call(const Args& args) {
    TRY(const auto given, bind("raise_exception", args, {"message"}, 1));
    if (!given[0].is_text())
        return template_error(
            concat("raise_exception() needs a string, not ", jinja::type_name(given[0])));
    was_called_ = true;
    return template_error(std::string(given[0].as_text()));
}

namespace {

constexpr int64_t kMaxRange = 100'000;  // as Jinja's sandbox

Result<Value> make_range(Heap& heap, const Args& args) {
    if (args.positional.empty() || args.positional.size() > 3 || !args.named.empty())
        return template_error("range() takes one to three numbers");
    int64_t numbers[3] = {0, 0, 1};
    for (size_t i = 0; i < args.positional.size(); ++i) {
        TRY(numbers[i], expect_integer(args.positional[i], "range()'s argument"));
    }
    if (args.positional.size() == 1) std::swap(numbers[0], numbers[1]);
    const auto [start, stop, step] = numbers;
    if (step == 0) return template_error("range() arg 3 must not be zero");
    List* out = heap.list();
    for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
        if (out->items.size() == size_t{kMaxRange})
            return template_error(
                concat("Range too big. The sandbox blocks ranges larger than "
                       "MAX_RANGE (",
                       kMaxRange, ")."));
        out->items.push_back(Value::integer(i));
        if (__builtin_add_overflow(i, step, &i)) break;
    }
    TRY(heap.work(out->items.size()));
    return Value(out);
}

/// The entries of dict(...) and namespace(...): a mapping, pairs, then the named arguments.
Result<Dict*> make_entries(Heap& heap, const Args& args) {
    Dict* out = heap.dict();
    if (args.positional.size() > 1) return template_error("dict expected at most 1 argument");
    if (args.positional.size() == 1 && args.positional[0].is(Kind::dict)) {
        for (const auto& [key, value] : args.positional[0].as_dict().entries())
            out->set(key, value);
    } else if (args.positional.size() == 1) {
        TRY(const std::span<const Value> pairs, items_of(heap, args.positional[0]));
        for (const Value& pair : pairs) {
            TRY(const std::span<const Value> entry, items_of(heap, pair));
            if (entry.size() != 2 || !Dict::is_key(entry[0]))
                return template_error("dict() needs pairs of a key and a value");
            out->set(entry[0], entry[1]);
        }
    }
    for (const auto& [name, value] : args.named)
        out->set(Value::text(name), value);
    return out;
}

Result<Value> make_dict(Heap& heap, const Args& args) {
    TRY(Dict * entries, make_entries(heap, args));
    return Value(entries);
}

Result<Value> make_namespace(Heap& heap, const Args& args) {
    TRY(Dict * entries, make_entries(heap, args));
    return Value(heap.make<Namespace>(entries));
}

/// joiner(", "): nothing the first time it is called, then its separator.
class Joiner final : public Object {
  public:
    explicit Joiner(Value separator) : separator_(separator) {}
    std::string_view type_name() const override { return "Joiner"; }
    bool is_callable() const override { return true; }
    Result<Value> call(const Args& args) override {
        TRY(bind_nothing("joiner", args));
        return std::exchange(used_, true) ? separator_ : Value::text("");
    }

  private:
    Value separator_;
    bool used_ = false;
};

Result<Value> make_joiner(Heap& heap, const Args& args) {
    TRY(const auto given, bind("joiner", args, {"sep"}));
    return Value(heap.make<Joiner>(given[0].is_undefined() ? Value::text(", ") : given[0]));
}

/// cycler("odd", "even"): next() gives its values in turn.
class Cycler final : public Object {
  public:
    Cycler(Heap& heap, List& values) : heap_(heap), values_(values) {}
    std::string_view type_name() const override { return "Cycler"; }
    std::optional<Value> attribute(std::string_view name) override;

    Value current() const { return values_.items[at_]; }
    void advance() { at_ = (at_ + 1) % values_.items.size(); }
    void reset() { at_ = 0; }

  private:
    Heap& heap_;
    List& values_;
    size_t at_ = 0;
};

class CyclerMethod final : public Object {
  public:
    CyclerMethod(Cycler& cycler, bool is_next) : cycler_(cycler), is_next_(is_next) {}
    std::string_view type_name() const override { return "method"; }
    bool is_callable() const override { return true; }
    Result<Value> call(const Args& args) override {
        TRY(bind_nothing(is_next_ ? "next" : "reset", args));
        const Value current = cycler_.current();
        if (is_next_)
            cycler_.advance();
        else
            cycler_.reset();
        return is_next_ ? current : Value::none();
    }

  private:
    Cycler& cycler_;
    bool is_next_;
};

std::optional<Value> Cycler::attribute(std::string_view name) {
    if (name == "current") return current();
    if (name == "next" || name == "reset")
        return Value(heap_.make<CyclerMethod>(*this, name == "next"));
    return std::nullopt;
}

Result<Value> make_cycler(Heap& heap, const Args& args) {
    if (args.positional.empty() || !args.named.empty())
        return template_error("cycler() needs at least one item");
    return Value(heap.make<Cycler>(heap, *heap.list(args.positional)));
}

class StrftimeNow final : public Object {
  public:
    StrftimeNow(Heap& heap, Now now) : heap_(heap), now_(now) {}
    std::string_view type_name() const override { return "function"; }
    bool is_callable() const override { return true; }
    Result<Value> call(const Args& args) override {
        TRY(const auto given, bind("strftime_now", args, {"format"}, 1));
        TRY(const std::string_view format, expect_text(given[0], "strftime_now()'s format"));
        TRY(std::string text, format_time(format, now_));
        return heap_.text(std::move(text));
    }

  private:
    Heap& heap_;
    Now now_;
};

}  // namespace

std::optional<Value> find_global(Heap& heap, std::string_view name, Now now) {
    static constexpr std::pair<std::string_view, Function::Body> kFunctions[] = {
        {"range", make_range},
        {"namespace", make_namespace},
        {"dict", make_dict},
        {"joiner", make_joiner},
        {"cycler", make_cycler}};
    for (const auto& [known, body] : kFunctions)
        if (known == name) return Value(heap.make<Function>(heap, body));
    if (name == "strftime_now") return Value(heap.make<StrftimeNow>(heap, now));
    return std::nullopt;
}

}  // namespace brigada::jinja
