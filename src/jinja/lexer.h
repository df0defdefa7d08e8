// Lexer: a template's source as tokens, with Jinja's white-space control applied to the text
// between the tags as transformers sets it: trim_blocks and lstrip_blocks on, the final newline
// dropped.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace brigada::jinja {

struct Token {
    enum class Kind : uint8_t {
        text,         // between tags, verbatim
        print_begin,  // {{
        print_end,
        tag_begin,  // {%
        tag_end,
        name,
        string,  // decoded
        integer,
        real,
        op,
        end,
    };

    Kind kind = Kind::end;
    int line = 0;           // from 1
    std::string_view text;  // of text, name, string and op
    int64_t integer = 0;
    double real = 0;
};

/// What went wrong at a line of the template: "line 7: ...".
Error syntax_error(int line, std::string_view message);

/// `source` as a lexer wants it: newlines as \n, one final newline dropped.
std::string normalise_source(std::string_view source);

/// Tokens of a normalised source, the last of kind end. They borrow from `source`, and decoded
/// strings from `decoded`. Error::invalid_argument for a tag or string without end and unknown
/// characters.
Result<std::vector<Token>> tokenize(std::string_view source, std::deque<std::string>& decoded);

}  // namespace brigada::jinja
