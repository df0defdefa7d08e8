// Interpreter: one rendering of a Tree. It walks statements and expressions, keeps the scopes and
// the text written so far, and says at which line something failed.
#pragma once

#include "jinja/heap.h"
#include "jinja/objects.h"
#include "jinja/scope.h"
#include "jinja/tree.h"

namespace brigada::jinja {

class Interpreter {
  public:
    Interpreter(const Tree& tree, Heap& heap, const Dict& context, Now now);

    /// The rendered text; see Template::render for the errors.
    Result<std::string> run();

    /// What a macro called with `args` writes. `outer` is the scope it was defined in.
    Result<Value> call_macro(const MacroDefinition& macro, Scope* outer, const Args& args);

  private:
    /// How a statement ended: on to the next, or out of the loop around it.
    enum class Flow : uint8_t { next, break_loop, continue_loop };

    /// A call's arguments, evaluated.
    struct GivenArguments {
        std::vector<Value> positional;
        std::vector<std::pair<std::string_view, Value>> named;
        operator Args() const { return {positional, named}; }
    };

    // Statements.
    Result<Flow> execute(const Body& body);
    Result<Flow> execute(const Statement& statement);
    Result<Flow> visit(const Text& node);
    Result<Flow> visit(const Print& node);
    Result<Flow> visit(const For& node);
    Result<Flow> visit(const If& node);
    Result<Flow> visit(const Set& node);
    Result<Flow> visit(const SetBlock& node);
    Result<Flow> visit(const MacroDefinition& node);
    Result<Flow> visit(const CallBlock& node);
    Result<Flow> visit(const FilterBlock& node);
    Result<Flow> visit(const With& node);
    Result<Flow> visit(const Break&) { return Flow::break_loop; }
    Result<Flow> visit(const Continue&) { return Flow::continue_loop; }

    Result<std::span<const Value>> loop_items(const For& node);
    Result<Flow> loop_over(const For& node, std::span<const Value> items);
    Result<void> assign(const Target& target, Value value);
    Result<void> unpack(const Target& target, Value value);
    /// Runs `body` in a scope of its own and returns what it wrote; a break inside is lost.
    Result<Value> capture(const Body& body);
    Result<Value> evaluate_over(const Expression& filters, Value captured);
    Result<void> bind_parameters(const MacroDefinition& macro, const Args& args);
    Result<void> write(std::string_view text);

    // Expressions.
    Result<Value> evaluate(const Expression& expression);
    Result<Value> visit(const Literal& node) { return node.value; }
    Result<Value> visit(const Variable& node);
    Result<Value> visit(const ListLiteral& node);
    Result<Value> visit(const DictLiteral& node);
    Result<Value> visit(const Unary& node);
    Result<Value> visit(const Binary& node);
    Result<Value> visit(const Logical& node);
    Result<Value> visit(const Comparison& node);
    Result<Value> visit(const Conditional& node);
    Result<Value> visit(const Attribute& node);
    Result<Value> visit(const Subscript& node);
    Result<Value> visit(const Slice& node);
    Result<Value> visit(const Call& node);
    Result<Value> visit(const Filtered& node);
    Result<Value> visit(const Tested& node);
    Result<Value> visit(const Captured&) { return captured_; }

    Result<GivenArguments> evaluate_arguments(const Arguments& arguments);
    Result<Value> call(const Expression& callee, const Args& args);
    Result<Value> call(Value function, const Args& args);
    Result<Value> evaluate_or_none(const Expression* expression);
    /// Accounts for looking at all of `value` once.
    Result<void> account_for(Value value);
    Result<void> account_for(Value subject, const Args& args);

    Error too_deep() const;
    Error located(Error error) const;

    const Tree& tree_;
    Heap& heap_;
    const Dict& context_;
    Now now_;
    Raise raise_;
    Scope globals_;  // context and functions, as far as they were looked up
    Scope root_;
    Scope* scope_ = &root_;
    std::string output_;
    std::string* out_ = &output_;  // or a capture's
    Value captured_;
    int depth_ = 0;
    int failed_line_ = 0;  // of the innermost node that failed
};

}  // namespace brigada::jinja
