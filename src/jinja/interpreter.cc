// Statements: see evaluate.cc for expressions.
#include "jinja/interpreter.h"

#include "base/concat.h"
#include "jinja/operators.h"
#include "jinja/text_of.h"

namespace brigada::jinja {

namespace {

/// A macro as a value: the definition with the scope it stands in.
class Macro final : public Object {
  public:
    Macro(Interpreter& interpreter, const MacroDefinition& definition, Scope* outer)
        : interpreter_(interpreter), definition_(definition), outer_(outer) {}

    std::string_view type_name() const override { return "Macro"; }
    bool is_callable() const override { return true; }
    std::optional<Value> attribute(std::string_view name) override {
        if (name == "name") return Value::text(definition_.name.text);
        return std::nullopt;
    }
    Result<Value> call(const Args& args) override {
        return interpreter_.call_macro(definition_, outer_, args);
    }

  private:
    Interpreter& interpreter_;
    const MacroDefinition& definition_;
    Scope* outer_;
};

/// Puts a value in place for as long as this lives.
template <typename T>
class Swapped {
  public:
    Swapped(T& place, T value) : place_(place), before_(std::exchange(place, value)) {}
    Swapped(const Swapped&) = delete;
    Swapped& operator=(const Swapped&) = delete;
    ~Swapped() { place_ = before_; }

  private:
    T& place_;
    T before_;
};

}  // namespace

Interpreter::Interpreter(const Tree& tree, Heap& heap, const Dict& context, Now now)
    : tree_(tree),
      heap_(heap),
      context_(context),
      now_(now),
      globals_(heap.allocator(), nullptr),
      root_(heap.allocator(), &globals_) {}

Result<std::string> Interpreter::run() {
    auto flow = execute(tree_.body);
    if (!flow.ok()) return located(std::move(flow).error());
    return std::move(output_);
}

Error Interpreter::located(Error error) const {
    if (raise_.was_called() || failed_line_ == 0) return error;
    return std::move(error).in(concat("line ", failed_line_));
}

Error Interpreter::too_deep() const {
    return {Code::too_large,
            concat("macros and expressions nest over ", heap_.limits().max_depth, " deep")};
}

Result<Interpreter::Flow> Interpreter::execute(const Body& body) {
    for (const Statement* statement : body) {
        TRY(const Flow flow, execute(*statement));
        if (flow != Flow::next) return flow;
    }
    return Flow::next;
}

Result<Interpreter::Flow> Interpreter::execute(const Statement& statement) {
    if (depth_ >= heap_.limits().max_depth) return too_deep();
    const Swapped deeper(depth_, depth_ + 1);
    TRY(heap_.work(1));
    auto flow = std::visit([this](const auto& node) { return visit(node); }, statement.node);
    if (!flow.ok() && failed_line_ == 0) failed_line_ = statement.line;
    return flow;
}

Result<void> Interpreter::write(std::string_view text) {
    const size_t limit = heap_.limits().max_output_bytes;
    if (text.size() > limit || out_->size() > limit - text.size())
        return Error{Code::too_large, concat("the text rendered is over ", limit, " bytes")};
    TRY(heap_.work(work_of_bytes(text.size())));
    out_->append(text);
    return {};
}

// --- text and blocks --------------------------------------------------------------------------

Result<Interpreter::Flow> Interpreter::visit(const Text& node) {
    TRY(write(node.text));
    return Flow::next;
}

Result<Interpreter::Flow> Interpreter::visit(const Print& node) {
    TRY(const Value value, evaluate(*node.value));
    TRY(const std::string_view text, text_of(heap_, value));
    TRY(write(text));
    return Flow::next;
}

Result<Value> Interpreter::capture(const Body& body) {
    std::string text;
    {
        const Swapped writing(out_, &text);
        const Swapped inside(scope_, heap_.make<Scope>(heap_.allocator(), scope_));
        TRY(execute(body));
    }
    return heap_.text(std::move(text));
}

Result<Value> Interpreter::evaluate_over(const Expression& filters, Value captured) {
    const Swapped block(captured_, captured);
    return evaluate(filters);
}

Result<Interpreter::Flow> Interpreter::visit(const SetBlock& node) {
    TRY(const Value text, capture(node.body));
    TRY(const Value value, evaluate_over(*node.value, text));
    TRY(assign(node.target, value));
    return Flow::next;
}

Result<Interpreter::Flow> Interpreter::visit(const FilterBlock& node) {
    TRY(const Value text, capture(node.body));
    TRY(const Value value, evaluate_over(*node.value, text));
    TRY(const std::string_view filtered, text_of(heap_, value));
    TRY(write(filtered));
    return Flow::next;
}

Result<Interpreter::Flow> Interpreter::visit(const With& node) {
    Scope* inside = heap_.make<Scope>(heap_.allocator(), scope_);
    for (const auto& [target, expression] : node.assignments) {
        TRY(const Value value, evaluate(*expression));  // in the scope around
        const Swapped assigning(scope_, inside);
        TRY(assign(target, value));
    }
    const Swapped running(scope_, inside);
    return execute(node.body);
}

// --- choices and loops ------------------------------------------------------------------------

Result<Interpreter::Flow> Interpreter::visit(const If& node) {
    for (const If::Branch& branch : node.branches) {
        TRY(const Value condition, evaluate(*branch.condition));
        if (truthy(condition)) return execute(branch.body);
    }
    return execute(node.otherwise);
}

Result<Interpreter::Flow> Interpreter::visit(const For& node) {
    TRY(const std::span<const Value> items, loop_items(node));
    const Swapped inside(scope_, heap_.make<Scope>(heap_.allocator(), scope_));
    if (items.empty()) return execute(node.otherwise);
    return loop_over(node, items);
}

/// The items that pass the loop's condition.
Result<std::span<const Value>> Interpreter::loop_items(const For& node) {
    TRY(const Value iterable, evaluate(*node.iterable));
    TRY(const std::span<const Value> all, items_of(heap_, iterable));
    if (!node.condition) return all;
    List* passed = heap_.list();
    const Swapped inside(scope_, heap_.make<Scope>(heap_.allocator(), scope_));
    for (const Value& item : all) {
        TRY(assign(node.target, item));
        TRY(const Value condition, evaluate(*node.condition));
        if (truthy(condition)) passed->items.push_back(item);
    }
    return std::span<const Value>(passed->items);
}

Result<Interpreter::Flow> Interpreter::loop_over(const For& node, std::span<const Value> items) {
    Loop* loop = heap_.make<Loop>(heap_, items);
    for (size_t i = 0; i < items.size(); ++i) {
        scope_->clear();
        loop->move_to(i);
        scope_->set(kLoop, Value(loop));
        TRY(assign(node.target, items[i]));
        TRY(const Flow flow, execute(node.body));
        if (flow == Flow::break_loop) break;
    }
    return Flow::next;
}

// --- assignments ------------------------------------------------------------------------------

Result<Interpreter::Flow> Interpreter::visit(const Set& node) {
    TRY(const Value value, evaluate(*node.value));
    TRY(assign(node.target, value));
    return Flow::next;
}

Result<void> Interpreter::assign(const Target& target, Value value) {
    if (!target.parts.empty()) return unpack(target, value);
    if (target.attribute.empty()) {
        scope_->set(target.name, value);
        return {};
    }
    TRY(const Value object, visit(Variable{target.name}));
    if (!object.is(Kind::object))
        return template_error(concat("cannot set '", target.attribute, "' on '", target.name.text,
                                     "': it is no namespace() but ", type_name(object)));
    return object.as_object().set_attribute(target.attribute, value);
}

Result<void> Interpreter::unpack(const Target& target, Value value) {
    TRY(const std::span<const Value> items, items_of(heap_, value));
    if (items.size() != target.parts.size())
        return template_error(
            concat("cannot unpack ", items.size(), " values into ", target.parts.size(), " names"));
    for (size_t i = 0; i < items.size(); ++i)
        TRY(assign(target.parts[i], items[i]));
    return {};
}

// --- macros -----------------------------------------------------------------------------------

Result<Interpreter::Flow> Interpreter::visit(const MacroDefinition& node) {
    scope_->set(node.name, Value(heap_.make<Macro>(*this, node, scope_)));
    return Flow::next;
}

Result<Interpreter::Flow> Interpreter::visit(const CallBlock& node) {
    const Call& call_node = std::get<Call>(node.call->node);
    TRY(GivenArguments args, evaluate_arguments(call_node.arguments));
    args.named.emplace_back(kCaller.text, Value(heap_.make<Macro>(*this, node.caller, scope_)));
    TRY(const Value value, call(*call_node.callee, args));
    TRY(const std::string_view text, text_of(heap_, value));
    TRY(write(text));
    return Flow::next;
}

Result<Value> Interpreter::call_macro(const MacroDefinition& macro, Scope* outer,
                                      const Args& args) {
    if (depth_ >= heap_.limits().max_depth) return too_deep();
    const Swapped inside(scope_, heap_.make<Scope>(heap_.allocator(), outer));
    TRY(bind_parameters(macro, args));
    return capture(macro.body);
}

Result<void> Interpreter::bind_parameters(const MacroDefinition& macro, const Args& args) {
    const size_t wanted = macro.parameters.size();
    const size_t positional = std::min(args.positional.size(), wanted);
    for (size_t i = 0; i < positional; ++i)
        scope_->set(macro.parameters[i].name, args.positional[i]);
    if (macro.uses_varargs)
        scope_->set(kVarargs, Value(heap_.tuple(args.positional.subspan(positional))));
    else if (args.positional.size() > wanted)
        return template_error(
            concat("macro '", macro.name.text, "' takes not more than ", wanted, " argument(s)"));
    Dict* others = heap_.dict();
    std::vector<bool> named(wanted);
    for (const auto& [name, value] : args.named) {
        const auto parameter =
            std::ranges::find(macro.parameters, name, [](const auto& p) { return p.name.text; });
        const auto i = static_cast<size_t>(parameter - macro.parameters.begin());
        if (i < positional)
            return template_error(concat("macro '", macro.name.text, "' got '", name, "' twice"));
        if (i < wanted) {
            scope_->set(parameter->name, value);
            named[i] = true;
        } else if (name == kCaller.text && macro.uses_caller) {
            scope_->set(kCaller, value);
        } else {
            others->set(Value::text(name), value);
        }
    }
    if (macro.uses_kwargs)
        scope_->set(kKwargs, Value(others));
    else if (others->size() > 0)
        return template_error(concat("macro '", macro.name.text, "' takes no keyword argument '",
                                     others->entries()[0].first.as_text(), "'"));
    for (size_t i = positional; i < wanted; ++i) {
        if (named[i]) continue;
        const MacroDefinition::Parameter& parameter = macro.parameters[i];
        Value value = Value::undefined(parameter.name.text);
        if (parameter.fallback) {
            TRY(value, evaluate(*parameter.fallback));
        }
        scope_->set(parameter.name, value);
    }
    return {};
}

}  // namespace brigada::jinja
