// TokenCursor: a parser's place in its tokens, with what it asks of them: is it this, take it,
// expect it.
#pragma once

#include <vector>

#include "jinja/lexer.h"

namespace brigada::jinja {

class TokenCursor {
  public:
    /// Needs tokens that end with one of kind end, as tokenize() gives.
    explicit TokenCursor(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    /// The token at hand, or one further on; never beyond the end.
    const Token& peek(size_t ahead = 0) const;
    /// The token at hand, which is passed.
    const Token& next();
    bool at(Token::Kind kind) const { return peek().kind == kind; }
    bool at_op(std::string_view op) const { return is_op(peek(), op); }
    bool at_name(std::string_view name) const;
    bool take_op(std::string_view op);
    bool take_name(std::string_view name);
    Result<void> expect_op(std::string_view op);
    Result<void> expect_name(std::string_view name);
    Result<void> expect(Token::Kind kind, std::string_view what);
    /// "line 3: expected ..., not ...", about the token at hand.
    Error unexpected(std::string_view expected) const;

    static bool is_op(const Token& token, std::string_view op) {
        return token.kind == Token::Kind::op && token.text == op;
    }

  private:
    std::vector<Token> tokens_;
    size_t position_ = 0;
};

}  // namespace brigada::jinja
