// Tree: a parsed template, as expressions and statements that point to each other. The Tree owns
// all nodes and texts; it is never changed after parsing, so any number of threads may render it.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "jinja/heap.h"
#include "jinja/value.h"

namespace brigada::jinja {

using Filter = Result<Value> (*)(Heap& heap, Value subject, const Args& args);
using Test = Result<bool> (*)(Heap& heap, Value subject, const Args& args);

struct Expression;
struct Statement;
using Body = std::vector<const Statement*>;

/// A variable's name; equal names of one template have equal numbers.
struct Name {
    uint32_t id = 0;
    std::string_view text;
};

/// Names with a meaning of their own have the first numbers.
inline constexpr Name kLoop{0, "loop"};
inline constexpr Name kCaller{1, "caller"};
inline constexpr Name kVarargs{2, "varargs"};
inline constexpr Name kKwargs{3, "kwargs"};

// --- expressions ------------------------------------------------------------------------------

struct Literal {
    Value value;
};
struct Variable {
    Name name;
};
struct ListLiteral {
    std::vector<const Expression*> items;
    bool is_tuple = false;
};
struct DictLiteral {
    std::vector<std::pair<const Expression*, const Expression*>> entries;
};
struct Unary {
    enum class Op : uint8_t { negate, plus, logical_not };
    Op op;
    const Expression* operand;
};
struct Binary {
    enum class Op : uint8_t {
        add,
        subtract,
        multiply,
        divide,
        floor_divide,
        modulo,
        power,
        concat
    };
    Op op;
    const Expression* left;
    const Expression* right;
};
struct Logical {
    bool is_and;
    const Expression* left;
    const Expression* right;
};
struct Comparison {
    enum class Op : uint8_t { eq, ne, lt, le, gt, ge, in, not_in };
    const Expression* first;
    std::vector<std::pair<Op, const Expression*>> rest;  // a < b < c compares both pairs
};
struct Conditional {
    const Expression* condition;
    const Expression* then;
    const Expression* otherwise;  // null: undefined
};
struct Attribute {
    const Expression* object;
    std::string_view name;
};
struct Subscript {
    const Expression* object;
    const Expression* index;
};
struct Slice {
    const Expression* object;
    const Expression* start;  // null when left out, as stop and step
    const Expression* stop;
    const Expression* step;
};
struct Arguments {
    std::vector<const Expression*> positional;
    std::vector<std::pair<std::string_view, const Expression*>> named;
    const Expression* more_positional = nullptr;  // *list
    const Expression* more_named = nullptr;       // **dict
};
struct Call {
    const Expression* callee;
    Arguments arguments;
};
struct Filtered {
    const Expression* subject;
    std::string_view name;
    Filter filter;  // null when there is none of this name: an error where it is used
    Arguments arguments;
};
struct Tested {
    const Expression* subject;
    std::string_view name;
    Test test;  // null as above
    Arguments arguments;
    bool negated;
};
/// The text of the filter or set block just rendered: where a block's filters begin.
struct Captured {};

struct Expression {
    int line;
    std::variant<Literal, Variable, ListLiteral, DictLiteral, Unary, Binary, Logical, Comparison,
                 Conditional, Attribute, Subscript, Slice, Call, Filtered, Tested, Captured>
        node;
};

// --- statements -------------------------------------------------------------------------------

/// What is assigned to: a name, an attribute of a namespace, or several targets at once.
struct Target {
    Name name;
    std::string_view attribute;  // of the namespace `name`; empty for a plain name
    std::vector<Target> parts;   // not empty: unpacks into these, the rest is unused
};
struct Text {
    std::string_view text;
};
struct Print {
    const Expression* value;
};
struct For {
    Target target;
    const Expression* iterable;
    const Expression* condition;  // null: every item
    Body body;
    Body otherwise;  // when there was no item
};
struct If {
    struct Branch {
        const Expression* condition;
        Body body;
    };
    std::vector<Branch> branches;
    Body otherwise;
};
struct Set {
    Target target;
    const Expression* value;
};
struct SetBlock {
    Target target;
    const Expression* value;  // Captured, or filters over it
    Body body;
};
struct MacroDefinition {
    struct Parameter {
        Name name;
        const Expression* fallback;  // null: undefined
    };
    Name name;
    std::vector<Parameter> parameters;
    Body body;
    // Whether the body asks for what the call passes beyond the parameters.
    bool uses_caller = false;
    bool uses_varargs = false;
    bool uses_kwargs = false;
};
struct CallBlock {
    const Expression* call;  // a Call
    MacroDefinition caller;
};
struct FilterBlock {
    const Expression* value;  // filters over Captured
    Body body;
};
struct With {
    std::vector<std::pair<Target, const Expression*>> assignments;
    Body body;
};
struct Break {};
struct Continue {};

struct Statement {
    int line;
    std::variant<Text, Print, For, If, Set, SetBlock, MacroDefinition, CallBlock, FilterBlock, With,
                 Break, Continue>
        node;
};

struct Tree {
    Tree() = default;
    Tree(const Tree&) = delete;  // nodes point into it
    Tree& operator=(const Tree&) = delete;

    std::string source;
    std::deque<std::string> texts;  // decoded string literals
    std::deque<Expression> expressions;
    std::deque<Statement> statements;
    Body body;
};

}  // namespace brigada::jinja
