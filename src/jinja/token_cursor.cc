#include "jinja/token_cursor.h"

#include <algorithm>

#include "base/concat.h"

namespace brigada::jinja {

using TokenKind = Token::Kind;

namespace {

std::string describe(const Token& token) {
    switch (token.kind) {
        case TokenKind::text:
            return "text";
        case TokenKind::print_begin:
            return "'{{'";
        case TokenKind::print_end:
            return "'}}'";
        case TokenKind::tag_begin:
            return "'{%'";
        case TokenKind::tag_end:
            return "'%}'";
        case TokenKind::string:
            return "a string";
        case TokenKind::integer:
        case TokenKind::real:
            return "a number";
        case TokenKind::name:
        case TokenKind::op:
            return concat("'", token.text, "'");
        case TokenKind::end:
            return "the end of the template";
    }
    return {};
}

}  // namespace

const Token& TokenCursor::peek(size_t ahead) const {
    return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
}

const Token& TokenCursor::next() {
    const Token& token = peek();
    if (position_ + 1 < tokens_.size()) ++position_;
    return token;
}

bool TokenCursor::at_name(std::string_view name) const {
    return at(TokenKind::name) && peek().text == name;
}

bool TokenCursor::take_op(std::string_view op) {
    if (!at_op(op)) return false;
    next();
    return true;
}

bool TokenCursor::take_name(std::string_view name) {
    if (!at_name(name)) return false;
    next();
    return true;
}

Result<void> TokenCursor::expect_op(std::string_view op) {
    if (!take_op(op)) return unexpected(concat("'", op, "'"));
    return {};
}

Result<void> TokenCursor::expect_name(std::string_view name) {
    if (!take_name(name)) return unexpected(concat("'", name, "'"));
    return {};
}

Result<void> TokenCursor::expect(TokenKind kind, std::string_view what) {
    if (!at(kind)) return unexpected(what);
    next();
    return {};
}

Error TokenCursor::unexpected(std::string_view expected) const {
    return syntax_error(peek().line, concat("expected ", expected, ", not ", describe(peek())));
}

}  // namespace brigada::jinja
