#include "jinja/parser.h"

#include "base/concat.h"
#include "jinja/expression_parser.h"
#include "jinja/lexer.h"

namespace brigada::jinja {

namespace {

using TokenKind = Token::Kind;
using Ends = std::initializer_list<std::string_view>;

/// Reads statements; ExpressionParser reads what is inside them.
class Parser {
  public:
    Parser(Tree& tree, std::vector<Token> tokens) : tree_(tree), in_(tree, std::move(tokens)) {}

    Result<Body> whole_template() {
        TRY(Body body, statements({}));
        if (!in_.at(TokenKind::end)) return unexpected_tag({});
        return body;
    }

  private:
    /// Statements up to a tag of `ends`, whose "{%" and name are left to be read; with no ends, up
    /// to the end of the template.
    Result<Body> statements(Ends ends) {
        return in_.deeper([&] { return statements_here(ends); });
    }

    Result<Body> statements_here(Ends ends) {
        Body body;
        while (!in_.at(TokenKind::end)) {
            if (in_.at(TokenKind::text)) {
                const Token& token = in_.next();
                add(body, token.line, Text{token.text});
            } else if (in_.at(TokenKind::print_begin)) {
                TRY(print(body));
            } else if (at_tag(ends)) {
                return body;
            } else {
                TRY(tag(body));
            }
        }
        return body;
    }

    bool at_tag(Ends names) const {
        const Token& name = in_.peek(1);
        return in_.at(TokenKind::tag_begin) && name.kind == TokenKind::name &&
               std::ranges::find(names, name.text) != names.end();
    }

    Result<void> print(Body& body) {
        const int line = in_.next().line;
        TRY(const Expression* value, in_.tuple());
        TRY(in_.expect(TokenKind::print_end, "'}}'"));
        add(body, line, Print{value});
        return {};
    }

    Result<void> tag(Body& body) {
        if (in_.peek(1).kind != TokenKind::name) return in_.next(), in_.unexpected("a tag's name");
        const std::string_view name = in_.peek(1).text;
        using Read = Result<void> (Parser::*)(Body&);
        static constexpr std::pair<std::string_view, Read> kTags[] = {
            {"for", &Parser::for_tag},     {"if", &Parser::if_tag},
            {"set", &Parser::set_tag},     {"macro", &Parser::macro_tag},
            {"call", &Parser::call_tag},   {"filter", &Parser::filter_tag},
            {"with", &Parser::with_tag},   {"generation", &Parser::generation_tag},
            {"break", &Parser::break_tag}, {"continue", &Parser::continue_tag}};
        for (const auto& [known, read] : kTags) {
            if (known != name) continue;
            in_.next();
            line_ = in_.next().line;
            return (this->*read)(body);
        }
        return unknown_tag(name);
    }

    Error unknown_tag(std::string_view name) {
        static constexpr std::string_view kNeedFiles[] = {"include", "import", "from", "extends",
                                                          "block"};
        if (std::ranges::find(kNeedFiles, name) != std::end(kNeedFiles))
            return {Code::unsupported,
                    concat("line ", in_.peek(1).line, ": a chat template stands alone: {% ", name,
                           " %} is not supported")};
        return unexpected_tag(name);
    }

    Error unexpected_tag(std::string_view name) {
        return syntax_error(in_.peek(1).line, concat("unknown or misplaced tag '", name, "'"));
    }

    Result<void> end_of_tag() { return in_.expect(TokenKind::tag_end, "'%}'"); }

    /// "%}", statements, "{% end %}".
    Result<Body> body_until(std::string_view end) {
        TRY(end_of_tag());
        TRY(Body body, statements({end}));
        TRY(closing(end));
        return body;
    }

    Result<void> closing(std::string_view end) {
        if (!at_tag({end})) return in_.unexpected(concat("'{% ", end, " %}'"));
        in_.next();
        in_.next();
        return end_of_tag();
    }

    Result<void> for_tag(Body& body) {
        const int line = line_;
        For loop;
        TRY(loop.target, in_.target(false));
        TRY(in_.expect_name("in"));
        TRY(loop.iterable, in_.tuple(false));
        loop.condition = nullptr;
        if (in_.take_name("if")) {
            TRY(loop.condition, in_.expression());
        }
        if (in_.at_name("recursive"))
            return Error{Code::unsupported,
                         concat("line ", line, ": recursive loops are not supported; use a macro")};
        TRY(end_of_tag());
        ++loops_;
        auto inside = statements({"else", "endfor"});
        --loops_;
        TRY(loop.body, std::move(inside));
        if (at_tag({"else"})) {
            in_.next();
            in_.next();
            TRY(loop.otherwise, body_until("endfor"));
        } else {
            TRY(closing("endfor"));
        }
        add(body, line, std::move(loop));
        return {};
    }

    Result<void> if_tag(Body& body) {
        const int line = line_;
        If out;
        for (;;) {
            If::Branch branch;
            TRY(branch.condition, in_.tuple());
            TRY(end_of_tag());
            TRY(branch.body, statements({"elif", "else", "endif"}));
            out.branches.push_back(std::move(branch));
            if (!at_tag({"elif"})) break;
            in_.next();
            in_.next();
        }
        if (at_tag({"else"})) {
            in_.next();
            in_.next();
            TRY(out.otherwise, body_until("endif"));
        } else {
            TRY(closing("endif"));
        }
        add(body, line, std::move(out));
        return {};
    }

    Result<void> set_tag(Body& body) {
        const int line = line_;
        TRY(Target target, in_.target(true));
        if (in_.take_op("=")) {
            TRY(const Expression* value, in_.tuple());
            TRY(end_of_tag());
            add(body, line, Set{std::move(target), value});
            return {};
        }
        TRY(const Expression* value, in_.filters(in_.make(line, Captured{})));
        TRY(Body inside, body_until("endset"));
        add(body, line, SetBlock{std::move(target), value, std::move(inside)});
        return {};
    }

    Result<void> parameters(MacroDefinition& macro) {
        TRY(in_.expect_op("("));
        while (!in_.at_op(")")) {
            MacroDefinition::Parameter parameter{};
            TRY(parameter.name, in_.name());
            if (in_.take_op("=")) {
                TRY(parameter.fallback, in_.expression());
            } else if (!macro.parameters.empty() && macro.parameters.back().fallback) {
                return in_.unexpected("a default, as the parameter before has one");
            }
            macro.parameters.push_back(parameter);
            if (!in_.take_op(",")) break;
        }
        return in_.expect_op(")");
    }

    /// A macro's body: break and continue in it do not reach loops around it.
    Result<void> macro_body(MacroDefinition& macro, std::string_view end) {
        const size_t caller = in_.uses(kCaller);
        const size_t varargs = in_.uses(kVarargs);
        const size_t kwargs = in_.uses(kKwargs);
        const int loops = std::exchange(loops_, 0);
        auto body = body_until(end);
        loops_ = loops;
        TRY(macro.body, std::move(body));
        macro.uses_caller = in_.uses(kCaller) > caller;
        macro.uses_varargs = in_.uses(kVarargs) > varargs;
        macro.uses_kwargs = in_.uses(kKwargs) > kwargs;
        return {};
    }

    Result<void> macro_tag(Body& body) {
        const int line = line_;
        MacroDefinition macro;
        TRY(macro.name, in_.name());
        TRY(parameters(macro));
        TRY(macro_body(macro, "endmacro"));
        add(body, line, std::move(macro));
        return {};
    }

    Result<void> call_tag(Body& body) {
        const int line = line_;
        CallBlock out;
        out.caller.name = kCaller;
        if (in_.at_op("(")) TRY(parameters(out.caller));
        TRY(out.call, in_.expression());
        if (!std::holds_alternative<Call>(out.call->node))
            return syntax_error(line, "expected a call of a macro after 'call'");
        TRY(macro_body(out.caller, "endcall"));
        add(body, line, std::move(out));
        return {};
    }

    Result<void> filter_tag(Body& body) {
        const int line = line_;
        FilterBlock out;
        TRY(out.value, in_.first_filter(in_.make(line, Captured{})));
        TRY(out.body, body_until("endfilter"));
        add(body, line, std::move(out));
        return {};
    }

    Result<void> with_tag(Body& body) {
        const int line = line_;
        With out;
        while (!in_.at(TokenKind::tag_end)) {
            TRY(Target target, in_.target(false));
            TRY(in_.expect_op("="));
            TRY(const Expression* value, in_.expression());
            out.assignments.emplace_back(std::move(target), value);
            if (!in_.take_op(",")) break;
        }
        TRY(out.body, body_until("endwith"));
        add(body, line, std::move(out));
        return {};
    }

    /// Marks what the assistant said, for training; it changes nothing in the text.
    Result<void> generation_tag(Body& body) {
        TRY(Body inside, body_until("endgeneration"));
        body.insert(body.end(), inside.begin(), inside.end());
        return {};
    }

    Result<void> break_tag(Body& body) { return loop_control(body, Break{}); }
    Result<void> continue_tag(Body& body) { return loop_control(body, Continue{}); }

    template <typename Node>
    Result<void> loop_control(Body& body, Node node) {
        if (loops_ == 0) return syntax_error(line_, "break and continue need a loop around them");
        add(body, line_, node);
        return end_of_tag();
    }

    template <typename Node>
    void add(Body& body, int line, Node node) {
        body.push_back(&tree_.statements.emplace_back(Statement{line, std::move(node)}));
    }

    Tree& tree_;
    ExpressionParser in_;
    int line_ = 0;   // of the tag being read
    int loops_ = 0;  // around the statement being read, within its macro
};

}  // namespace

Result<std::unique_ptr<const Tree>> parse_template(std::string_view source) {
    auto tree = std::make_unique<Tree>();
    tree->source = normalise_source(source);
    TRY(std::vector<Token> tokens, tokenize(tree->source, tree->texts));
    TRY(tree->body, Parser(*tree, std::move(tokens)).whole_template());
    return std::unique_ptr<const Tree>(std::move(tree));
}

}  // namespace brigada::jinja
