// Objects: what templates hold besides data: loop, namespace, cycler, joiner and functions.
#pragma once

#include "jinja/heap.h"
#include "jinja/template.h"

namespace brigada::jinja {

/// A function of one heap: fn(heap, args).
class Function final : public Object {
  public:
    using Body = Result<Value> (*)(Heap& heap, const Args& args);

    Function(Heap& heap, Body body) : heap_(heap), body_(body) {}
    std::string_view type_name() const override { return "function"; }
    bool is_callable() const override { return true; }
    Result<Value> call(const Args& args) override { return body_(heap_, args); }

  private:
    Heap& heap_;
    Body body_;
};

/// namespace(a=1): the only thing whose attributes a template may set.
class Namespace final : public Object {
  public:
    explicit Namespace(Dict* values) : values_(values) {}
    std::string_view type_name() const override { return "Namespace"; }
    std::optional<Value> attribute(std::string_view name) override;
    Result<void> set_attribute(std::string_view name, Value value) override;

  private:
    Dict* values_;
};

/// `loop` inside a for: where in its items the loop is.
class Loop final : public Object {
  public:
    Loop(Heap& heap, std::span<const Value> items) : heap_(heap), items_(items) {}

    void move_to(size_t index) { index_ = index; }

    std::string_view type_name() const override { return "LoopContext"; }
    std::optional<Value> attribute(std::string_view name) override;

    /// loop.cycle(a, b): the arguments in turn.
    Result<Value> cycle(const Args& args) const;
    /// loop.changed(value): true unless it was called with an equal value last time.
    Result<Value> changed(const Args& args);

  private:
    Heap& heap_;
    std::span<const Value> items_;
    size_t index_ = 0;
    List* last_changed_ = nullptr;
};

/// raise_exception(text): ends the rendering with exactly this text, and remembers that it did.
class Raise final : public Object {
  public:
    bool was_called() const { return was_called_; }

    std::string_view type_name() const override { return "function"; }
    bool is_callable() const override { return true; }
    Result<Value> call(const Args& args) override;

  private:
    bool was_called_ = false;
};

/// What every template can call: range, namespace, dict, strftime_now, joiner, cycler. Nothing for
/// any other name.
std::optional<Value> find_global(Heap& heap, std::string_view name, Now now);

}  // namespace brigada::jinja
