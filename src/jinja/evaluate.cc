// Expressions of the Interpreter.
#include "jinja/arguments.h"
#include "jinja/interpreter.h"
#include "jinja/methods.h"
#include "jinja/operators.h"

namespace brigada::jinja {

Result<Value> Interpreter::evaluate(const Expression& expression) {
    if (depth_ >= heap_.limits().max_depth) return too_deep();
    TRY(heap_.work(1));
    ++depth_;
    auto value = std::visit([this](const auto& node) { return visit(node); }, expression.node);
    --depth_;
    if (!value.ok() && failed_line_ == 0) failed_line_ = expression.line;
    return value;
}

Result<Value> Interpreter::evaluate_or_none(const Expression* expression) {
    if (!expression) return Value::none();
    return evaluate(*expression);
}

Result<void> Interpreter::account_for(Value value) {
    if (value.is_text()) return heap_.work(work_of_bytes(value.as_text().size()));
    if (value.is(Kind::list)) return heap_.work(value.as_list().items.size());
    if (value.is(Kind::dict)) return heap_.work(value.as_dict().size());
    return {};
}

Result<void> Interpreter::account_for(Value subject, const Args& args) {
    TRY(account_for(subject));
    for (const Value& value : args.positional)
        TRY(account_for(value));
    for (const auto& [name, value] : args.named)
        TRY(account_for(value));
    return {};
}

// --- names and literals -----------------------------------------------------------------------

Result<Value> Interpreter::visit(const Variable& node) {
    if (const Value* found = scope_->find(node.name)) return *found;
    Value value = Value::undefined(node.name.text);
    if (const Value* given = context_.find(node.name.text))
        value = *given;
    else if (node.name.text == "raise_exception")
        value = Value(&raise_);
    else if (const auto global = find_global(heap_, node.name.text, now_))
        value = *global;
    else
        return value;
    globals_.set(node.name, value);
    return value;
}

Result<Value> Interpreter::visit(const ListLiteral& node) {
    List* list = heap_.list();
    list->is_tuple = node.is_tuple;
    list->items.reserve(node.items.size());
    for (const Expression* item : node.items) {
        TRY(const Value value, evaluate(*item));
        list->items.push_back(value);
    }
    return Value(list);
}

Result<Value> Interpreter::visit(const DictLiteral& node) {
    Dict* dict = heap_.dict();
    for (const auto& [key_node, value_node] : node.entries) {
        TRY(const Value key, evaluate(*key_node));
        TRY(const Value value, evaluate(*value_node));
        if (!Dict::is_key(key))
            return template_error(concat("a dict's key cannot be of type '", type_name(key), "'"));
        dict->set(key, value);
    }
    return Value(dict);
}

// --- operators --------------------------------------------------------------------------------

Result<Value> Interpreter::visit(const Unary& node) {
    TRY(const Value operand, evaluate(*node.operand));
    return apply(node.op, operand);
}

Result<Value> Interpreter::visit(const Binary& node) {
    TRY(const Value left, evaluate(*node.left));
    TRY(const Value right, evaluate(*node.right));
    return apply(heap_, node.op, left, right);
}

Result<Value> Interpreter::visit(const Logical& node) {
    TRY(const Value left, evaluate(*node.left));
    if (truthy(left) != node.is_and) return left;
    return evaluate(*node.right);
}

Result<Value> Interpreter::visit(const Comparison& node) {
    TRY(Value left, evaluate(*node.first));
    for (const auto& [op, expression] : node.rest) {
        TRY(const Value right, evaluate(*expression));
        TRY(const bool it_holds, holds(heap_, op, left, right));
        if (!it_holds) return Value::boolean(false);
        left = right;
    }
    return Value::boolean(true);
}

Result<Value> Interpreter::visit(const Conditional& node) {
    TRY(const Value condition, evaluate(*node.condition));
    if (truthy(condition)) return evaluate(*node.then);
    if (node.otherwise) return evaluate(*node.otherwise);
    return Value();
}

Result<Value> Interpreter::visit(const Attribute& node) {
    TRY(const Value object, evaluate(*node.object));
    return get_attribute(heap_, object, node.name);
}

Result<Value> Interpreter::visit(const Subscript& node) {
    TRY(const Value object, evaluate(*node.object));
    TRY(const Value index, evaluate(*node.index));
    return get_item(heap_, object, index);
}

Result<Value> Interpreter::visit(const Slice& node) {
    TRY(const Value object, evaluate(*node.object));
    TRY(const Value start, evaluate_or_none(node.start));
    TRY(const Value stop, evaluate_or_none(node.stop));
    TRY(const Value step, evaluate_or_none(node.step));
    return slice(heap_, object, start, stop, step);
}

// --- calls, filters, tests --------------------------------------------------------------------

Result<Interpreter::GivenArguments> Interpreter::evaluate_arguments(const Arguments& arguments) {
    GivenArguments out;
    out.positional.reserve(arguments.positional.size());
    for (const Expression* argument : arguments.positional) {
        TRY(const Value value, evaluate(*argument));
        out.positional.push_back(value);
    }
    if (arguments.more_positional) {
        TRY(const Value more, evaluate(*arguments.more_positional));
        TRY(const std::span<const Value> items, items_of(heap_, more));
        out.positional.insert(out.positional.end(), items.begin(), items.end());
    }
    for (const auto& [name, argument] : arguments.named) {
        TRY(const Value value, evaluate(*argument));
        out.named.emplace_back(name, value);
    }
    if (!arguments.more_named) return out;
    TRY(const Value more, evaluate(*arguments.more_named));
    if (!more.is(Kind::dict))
        return template_error(concat("argument after ** must be a mapping, not ", type_name(more)));
    for (const auto& [key, value] : more.as_dict().entries()) {
        TRY(const std::string_view name, expect_text(key, "a keyword argument's name"));
        out.named.emplace_back(name, value);
    }
    return out;
}

Result<Value> Interpreter::visit(const Call& node) {
    TRY(const GivenArguments args, evaluate_arguments(node.arguments));
    return call(*node.callee, args);
}

Result<Value> Interpreter::call(const Expression& callee, const Args& args) {
    // value.method(...) is called without making a value of the method first.
    if (const auto* attribute = std::get_if<Attribute>(&callee.node)) {
        TRY(const Value object, evaluate(*attribute->object));
        TRY(account_for(object, args));
        if (const Method method = find_method(object, attribute->name))
            return method(heap_, object, args);
        TRY(const Value function, get_attribute(heap_, object, attribute->name));
        return call(function, args);
    }
    TRY(const Value function, evaluate(callee));
    TRY(account_for(Value(), args));
    return call(function, args);
}

Result<Value> Interpreter::call(Value function, const Args& args) {
    if (function.is_undefined()) return undefined_error(function);
    if (!function.is(Kind::object))
        return template_error(concat("'", type_name(function), "' object is not callable"));
    if (depth_ >= heap_.limits().max_depth) return too_deep();
    ++depth_;
    auto value = function.as_object().call(args);
    --depth_;
    return value;
}

Result<Value> Interpreter::visit(const Filtered& node) {
    if (!node.filter) return template_error(concat("No filter named '", node.name, "' found."));
    TRY(const Value subject, evaluate(*node.subject));
    TRY(const GivenArguments args, evaluate_arguments(node.arguments));
    TRY(account_for(subject, args));
    return node.filter(heap_, subject, args);
}

Result<Value> Interpreter::visit(const Tested& node) {
    if (!node.test) return template_error(concat("No test named '", node.name, "' found."));
    TRY(const Value subject, evaluate(*node.subject));
    TRY(const GivenArguments args, evaluate_arguments(node.arguments));
    TRY(account_for(subject, args));
    TRY(const bool it_is, node.test(heap_, subject, args));
    return Value::boolean(it_is != node.negated);
}

}  // namespace brigada::jinja
