#include "jinja/expression_parser.h"

#include "base/concat.h"
#include "jinja/filters.h"
#include "jinja/tests.h"

namespace brigada::jinja {

using TokenKind = Token::Kind;
using Parsed = Result<const Expression*>;

ExpressionParser::ExpressionParser(Tree& tree, std::vector<Token> tokens)
    : TokenCursor(std::move(tokens)), tree_(tree) {
    for (const Name name : {kLoop, kCaller, kVarargs, kKwargs}) {
        name_ids_.emplace(name.text, name.id);
        uses_.push_back(0);
    }
}

Error ExpressionParser::too_deep() const {
    return syntax_error(peek().line, concat("blocks and brackets nest over ", kMaxDepth, " deep"));
}

// --- operators, loosest first -----------------------------------------------------------------

Parsed ExpressionParser::expression() {
    return deeper([this] { return conditional(); });
}

Parsed ExpressionParser::conditional() {
    const int line = peek().line;
    TRY(const Expression* value, logical_or());
    while (take_name("if")) {
        TRY(const Expression* condition, logical_or());
        const Expression* otherwise = nullptr;
        if (take_name("else")) {
            TRY(otherwise, expression());
        }
        value = make(line, Conditional{condition, value, otherwise});
    }
    return value;
}

Parsed ExpressionParser::logical_or() {
    TRY(const Expression* left, logical_and());
    while (at_name("or")) {
        const int line = next().line;
        TRY(const Expression* right, logical_and());
        left = make(line, Logical{false, left, right});
    }
    return left;
}

Parsed ExpressionParser::logical_and() {
    TRY(const Expression* left, logical_not());
    while (at_name("and")) {
        const int line = next().line;
        TRY(const Expression* right, logical_not());
        left = make(line, Logical{true, left, right});
    }
    return left;
}

Parsed ExpressionParser::logical_not() {
    if (!at_name("not")) return comparison();
    const int line = next().line;
    TRY(const Expression* operand, deeper([this] { return logical_not(); }));
    return make(line, Unary{Unary::Op::logical_not, operand});
}

Parsed ExpressionParser::comparison() {
    const int line = peek().line;
    TRY(const Expression* first, sum());
    Comparison out{first, {}};
    while (const auto op = take_comparison_op()) {
        TRY(const Expression* right, sum());
        out.rest.emplace_back(*op, right);
    }
    return out.rest.empty() ? first : make(line, std::move(out));
}

std::optional<Comparison::Op> ExpressionParser::take_comparison_op() {
    using Op = Comparison::Op;
    static constexpr std::pair<std::string_view, Op> kOps[] = {{"==", Op::eq}, {"!=", Op::ne},
                                                               {"<", Op::lt},  {"<=", Op::le},
                                                               {">", Op::gt},  {">=", Op::ge}};
    for (const auto& [text, op] : kOps)
        if (take_op(text)) return op;
    if (take_name("in")) return Op::in;
    if (!at_name("not") || peek(1).kind != TokenKind::name || peek(1).text != "in")
        return std::nullopt;
    next();
    next();
    return Op::not_in;
}

Parsed ExpressionParser::sum() {
    TRY(const Expression* left, concatenation());
    while (at_op("+") || at_op("-")) {
        const Token& token = next();
        TRY(const Expression* right, concatenation());
        const auto op = token.text == "+" ? Binary::Op::add : Binary::Op::subtract;
        left = make(token.line, Binary{op, left, right});
    }
    return left;
}

Parsed ExpressionParser::concatenation() {
    TRY(const Expression* left, product());
    while (at_op("~")) {
        const int line = next().line;
        TRY(const Expression* right, product());
        left = make(line, Binary{Binary::Op::concat, left, right});
    }
    return left;
}

Parsed ExpressionParser::product() {
    static constexpr std::pair<std::string_view, Binary::Op> kOps[] = {
        {"*", Binary::Op::multiply},
        {"/", Binary::Op::divide},
        {"//", Binary::Op::floor_divide},
        {"%", Binary::Op::modulo}};
    TRY(const Expression* left, power());
    for (;;) {
        const auto* op = std::ranges::find_if(kOps, [&](const auto& o) { return at_op(o.first); });
        if (op == std::end(kOps)) return left;
        const int line = next().line;
        TRY(const Expression* right, power());
        left = make(line, Binary{op->second, left, right});
    }
}

Parsed ExpressionParser::power() {
    TRY(const Expression* left, unary(true));
    while (at_op("**")) {
        const int line = next().line;
        TRY(const Expression* right, unary(true));
        left = make(line, Binary{Binary::Op::power, left, right});
    }
    return left;
}

Parsed ExpressionParser::unary(bool with_filters) {
    const Expression* value = nullptr;
    if (at_op("-") || at_op("+")) {
        const Token& token = next();
        TRY(const Expression* operand, deeper([this] { return unary(false); }));
        const auto op = token.text == "-" ? Unary::Op::negate : Unary::Op::plus;
        value = make(token.line, Unary{op, operand});
    } else {
        TRY(value, primary());
    }
    TRY(value, postfix(value));
    if (with_filters) return filters_and_tests(value);
    return value;
}

// --- operands ---------------------------------------------------------------------------------

Parsed ExpressionParser::primary() {
    const Token& token = peek();
    switch (token.kind) {
        case TokenKind::name:
            return name_or_constant();
        case TokenKind::integer:
            return make(next().line, Literal{Value::integer(token.integer)});
        case TokenKind::real:
            return make(next().line, Literal{Value::real(token.real)});
        case TokenKind::string: {
            std::string_view text = next().text;
            if (at(TokenKind::string)) {  // 'a' 'b' is 'ab'
                std::string joined(text);
                while (at(TokenKind::string))
                    joined += next().text;
                text = tree_.texts.emplace_back(std::move(joined));
            }
            return make(token.line, Literal{Value::text(text)});
        }
        case TokenKind::op:
            if (token.text == "(") return parenthesised();
            if (token.text == "[") return list();
            if (token.text == "{") return dict();
            break;
        default:
            break;
    }
    return unexpected("an expression");
}

Parsed ExpressionParser::name_or_constant() {
    const int line = peek().line;
    const std::string_view text = peek().text;
    if (text == "true" || text == "True") return next(), make(line, Literal{Value::boolean(true)});
    if (text == "false" || text == "False")
        return next(), make(line, Literal{Value::boolean(false)});
    if (text == "none" || text == "None") return next(), make(line, Literal{Value::none()});
    TRY(const Name variable, name());
    return make(line, Variable{variable});
}

Parsed ExpressionParser::parenthesised() {
    const int line = next().line;
    if (take_op(")")) return make(line, ListLiteral{{}, true});
    TRY(const Expression* inside, tuple());
    TRY(expect_op(")"));
    return inside;
}

Parsed ExpressionParser::tuple(bool with_if) {
    const int line = peek().line;
    ListLiteral out{{}, true};
    for (;;) {
        TRY(const Expression* item, with_if ? expression() : expression_without_if());
        out.items.push_back(item);
        if (!take_op(",")) break;
        if (at_op(")") || at(TokenKind::tag_end) || at(TokenKind::print_end))
            return make(line, std::move(out));  // a trailing comma: even one item is a tuple
    }
    return out.items.size() == 1 ? out.items[0] : make(line, std::move(out));
}

Parsed ExpressionParser::list() {
    const int line = next().line;
    ListLiteral out;
    while (!at_op("]")) {
        TRY(const Expression* item, expression());
        out.items.push_back(item);
        if (!take_op(",")) break;
    }
    TRY(expect_op("]"));
    return make(line, std::move(out));
}

Parsed ExpressionParser::dict() {
    const int line = next().line;
    DictLiteral out;
    while (!at_op("}")) {
        TRY(const Expression* key, expression());
        TRY(expect_op(":"));
        TRY(const Expression* value, expression());
        out.entries.emplace_back(key, value);
        if (!take_op(",")) break;
    }
    TRY(expect_op("}"));
    return make(line, std::move(out));
}

Parsed ExpressionParser::postfix(const Expression* object) {
    for (;;) {
        if (at_op(".")) {
            TRY(object, attribute(object));
        } else if (at_op("[")) {
            TRY(object, subscript(object));
        } else if (at_op("(")) {
            const int line = peek().line;
            TRY(Arguments given, arguments());
            object = make(line, Call{object, std::move(given)});
        } else {
            return object;
        }
    }
}

Parsed ExpressionParser::attribute(const Expression* object) {
    const int line = next().line;
    if (at(TokenKind::integer))
        return make(line, Subscript{object, make(line, Literal{Value::integer(next().integer)})});
    if (!at(TokenKind::name)) return unexpected("a name or a number after '.'");
    return make(line, Attribute{object, next().text});
}

Parsed ExpressionParser::subscript(const Expression* object) {
    const int line = next().line;
    const auto part = [this]() -> Parsed {
        if (at_op(":") || at_op("]")) return nullptr;
        return expression();
    };
    TRY(const Expression* start, part());
    if (take_op("]")) {
        if (!start) return syntax_error(line, "expected an expression between '[' and ']'");
        return make(line, Subscript{object, start});
    }
    TRY(expect_op(":"));
    TRY(const Expression* stop, part());
    const Expression* step = nullptr;
    if (take_op(":")) {
        TRY(step, part());
    }
    TRY(expect_op("]"));
    return make(line, Slice{object, start, stop, step});
}

// --- filters, tests, arguments ----------------------------------------------------------------

Parsed ExpressionParser::filters_and_tests(const Expression* subject) {
    for (;;) {
        if (take_op("|")) {
            TRY(subject, named_filter(subject));
        } else if (at_name("is")) {
            TRY(subject, test(subject));
        } else if (at_op("(")) {
            const int line = peek().line;
            TRY(Arguments given, arguments());
            subject = make(line, Call{subject, std::move(given)});
        } else {
            return subject;
        }
    }
}

Parsed ExpressionParser::filters(const Expression* subject) {
    while (take_op("|")) {
        TRY(subject, named_filter(subject));
    }
    return subject;
}

Parsed ExpressionParser::first_filter(const Expression* subject) {
    TRY(subject, named_filter(subject));
    return filters(subject);
}

Parsed ExpressionParser::named_filter(const Expression* subject) {
    if (!at(TokenKind::name)) return unexpected("a filter's name");
    const Token& token = next();
    Arguments given;
    if (at_op("(")) {
        TRY(given, arguments());
    }
    return make(token.line,
                Filtered{subject, token.text, find_filter(token.text), std::move(given)});
}

Parsed ExpressionParser::test(const Expression* subject) {
    next();
    const bool negated = take_name("not");
    if (!at(TokenKind::name)) return unexpected("a test's name after 'is'");
    const Token& token = next();
    Arguments given;
    if (at_op("(")) {
        TRY(given, arguments());
    } else if (at_test_argument()) {
        TRY(const Expression* argument, deeper([this]() -> Parsed {
                TRY(const Expression* operand, primary());
                return postfix(operand);
            }));
        given.positional.push_back(argument);
    }
    return make(token.line,
                Tested{subject, token.text, find_test(token.text), std::move(given), negated});
}

/// "x is divisibleby 3": one argument may follow without brackets.
bool ExpressionParser::at_test_argument() const {
    if (at(TokenKind::name)) {
        static constexpr std::string_view kNever[] = {"else", "or", "and", "is", "if", "in", "not"};
        return std::ranges::find(kNever, peek().text) == std::end(kNever);
    }
    return at(TokenKind::string) || at(TokenKind::integer) || at(TokenKind::real) || at_op("[") ||
           at_op("{");
}

Result<Arguments> ExpressionParser::arguments() {
    Arguments out;
    TRY(expect_op("("));
    while (!at_op(")")) {
        TRY(argument(out));
        if (!take_op(",")) break;
    }
    TRY(expect_op(")"));
    return out;
}

Result<void> ExpressionParser::argument(Arguments& out) {
    if (take_op("*")) {
        TRY(out.more_positional, expression());
    } else if (take_op("**")) {
        TRY(out.more_named, expression());
    } else if (at(TokenKind::name) && is_op(peek(1), "=")) {
        const std::string_view name = next().text;
        next();
        TRY(const Expression* value, expression());
        out.named.emplace_back(name, value);
    } else if (!out.named.empty()) {
        return unexpected("a named argument after a named argument");
    } else {
        TRY(const Expression* value, expression());
        out.positional.push_back(value);
    }
    return {};
}

// --- targets ----------------------------------------------------------------------------------

Result<Name> ExpressionParser::name() {
    if (!at(TokenKind::name)) return unexpected("a name");
    const std::string_view text = next().text;
    const auto [found, is_new] = name_ids_.emplace(text, uses_.size());
    if (is_new) uses_.push_back(0);
    ++uses_[found->second];
    return Name{found->second, text};
}

Result<Target> ExpressionParser::target(bool with_attribute) {
    Target out;
    for (;;) {
        TRY(Target part, single_target(with_attribute));
        out.parts.push_back(std::move(part));
        if (!take_op(",")) break;
        if (!at(TokenKind::name) && !at_op("(")) return out;  // "a," unpacks one
    }
    if (out.parts.size() > 1) return out;
    Target only = std::move(out.parts[0]);
    return only;
}

Result<Target> ExpressionParser::single_target(bool with_attribute) {
    if (take_op("(")) {
        TRY(Target inner, deeper([&] { return target(false); }));
        TRY(expect_op(")"));
        return inner;
    }
    Target out;
    static constexpr std::string_view kConstants[] = {"true", "false", "none",
                                                      "True", "False", "None"};
    if (std::ranges::find(kConstants, peek().text) != std::end(kConstants))
        return unexpected("a name that can be assigned to");
    TRY(out.name, name());
    if (with_attribute && take_op(".")) {
        if (!at(TokenKind::name)) return unexpected("an attribute's name");
        out.attribute = next().text;
    }
    return out;
}

}  // namespace brigada::jinja
