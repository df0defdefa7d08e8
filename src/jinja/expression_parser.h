// ExpressionParser: the part of the parser that reads what stands inside {{ }} and in tags. It
// walks the tokens and makes nodes in the Tree; the statement parser shares its place in the
// tokens.
#pragma once

#include <map>
#include <vector>

#include "jinja/token_cursor.h"
#include "jinja/tree.h"

namespace brigada::jinja {

class ExpressionParser : public TokenCursor {
  public:
    ExpressionParser(Tree& tree, std::vector<Token> tokens);

    Result<const Expression*> expression();
    /// Without "a if b": what a for loop goes over.
    Result<const Expression*> expression_without_if() { return logical_or(); }
    /// An expression, or several with commas between them as a tuple. `with_if` as above.
    Result<const Expression*> tuple(bool with_if = true);
    Result<Name> name();
    /// How often `name` has been read so far.
    size_t uses(Name name) const { return uses_[name.id]; }
    /// What set, for and with assign to; with commas, several.
    Result<Target> target(bool with_attribute);
    Result<Arguments> arguments();
    /// |a|b(1), over `subject`.
    Result<const Expression*> filters(const Expression* subject);
    /// a|b(1), over `subject`: the filters of a filter tag.
    Result<const Expression*> first_filter(const Expression* subject);

    template <typename Node>
    const Expression* make(int line, Node node) {
        return &tree_.expressions.emplace_back(Expression{line, std::move(node)});
    }

    /// Runs `parse` one level deeper; an error when that is too deep.
    template <typename Parse>
    auto deeper(Parse parse) -> decltype(parse()) {
        if (depth_ >= kMaxDepth) return too_deep();
        ++depth_;
        auto result = parse();
        --depth_;
        return result;
    }

  private:
    static constexpr int kMaxDepth = 100;

    Error too_deep() const;

    Result<const Expression*> conditional();
    Result<const Expression*> logical_or();
    Result<const Expression*> logical_and();
    Result<const Expression*> logical_not();
    Result<const Expression*> comparison();
    std::optional<Comparison::Op> take_comparison_op();
    Result<const Expression*> sum();
    Result<const Expression*> concatenation();
    Result<const Expression*> product();
    Result<const Expression*> power();
    Result<const Expression*> unary(bool with_filters);
    Result<const Expression*> primary();
    Result<const Expression*> name_or_constant();
    Result<const Expression*> parenthesised();
    Result<const Expression*> list();
    Result<const Expression*> dict();
    Result<const Expression*> postfix(const Expression* object);
    Result<const Expression*> attribute(const Expression* object);
    Result<const Expression*> subscript(const Expression* object);
    Result<const Expression*> filters_and_tests(const Expression* subject);
    Result<const Expression*> named_filter(const Expression* subject);
    Result<const Expression*> test(const Expression* subject);
    bool at_test_argument() const;
    Result<void> argument(Arguments& out);
    Result<Target> single_target(bool with_attribute);

    Tree& tree_;
    int depth_ = 0;
    std::map<std::string_view, uint32_t> name_ids_;
    std::vector<size_t> uses_;  // by Name::id
};

}  // namespace brigada::jinja
