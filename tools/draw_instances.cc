// Texts that grammars of JSON Schemas let through, for judges who do not know them: reads a schema
// a line, writes a line for each: {"texts": [...]} drawn token by token from what may come next, or
// {"refused": why}. tests/structured_output_test.py has other validators look at them.
//
//     draw_instances TEXTS SEED < schemas.jsonl
#include <charconv>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/rng.h"
#include "grammar/grammar_masks.h"
#include "grammar/grammar_spec.h"
#include "grammar/toy_vocabulary.h"

namespace brigada {
namespace {

/// Tokens after which a text that has not ended is given up.
constexpr int kLongest = 400;

/// From so many tokens on brackets and quotation marks come first, so that texts end.
constexpr int kLongEnough = 60;

class Drawer {
  public:
    Drawer() : tokenizer_(toy_tokenizer()), trie_(tokenizer_) {
        for (const char* closing : {"\"", "}", "]"})
            closing_.push_back(*tokenizer_.find(closing));
    }

    Json draw(const std::string& schema, uint64_t texts, Rng& rng) const {
        const auto grammar = compile_grammar(
            {.kind = GrammarSpec::Kind::json_schema, .text = schema, .field = "schema"});
        if (!grammar.ok()) return {{"refused", grammar.error().message}};
        GrammarMasks masks(*grammar, trie_);
        Json out = Json::array();
        for (uint64_t i = 0; i < texts; ++i)
            if (auto text = draw(masks, rng)) out.push_back(*std::move(text));
        return {{"texts", std::move(out)}};
    }

  private:
    std::optional<std::string> draw(GrammarMasks& masks, Rng& rng) const {
        Position at = masks.start(false);
        std::string text;
        for (int step = 0; step < kLongest; ++step) {
            const TokenMask& allowed = masks.allowed(at);
            const std::vector<TokenId> choices = tokens_of(allowed);
            if (masks.may_end(at) && (choices.empty() || step > kLongEnough || rng.chance(0.3)))
                return text;
            CHECK(!choices.empty(), "a dead end after ", text);
            TokenId token = choices[rng.below(choices.size())];
            for (const TokenId closing : closing_)
                if (rng.chance(step > kLongEnough ? 0.9 : 0.3) && allowed.contains(closing))
                    token = closing;
            at = masks.step(at, tokenizer_.bytes(token));
            text += tokenizer_.bytes(token);
        }
        return std::nullopt;
    }

    std::vector<TokenId> tokens_of(const TokenMask& allowed) const {
        std::vector<TokenId> out;
        for (uint32_t id = 0; id < tokenizer_.size(); ++id)
            if (allowed.contains(TokenId{id})) out.push_back(TokenId{id});
        return out;
    }

    Tokenizer tokenizer_;
    TokenTrie trie_;
    std::vector<TokenId> closing_;
};

std::optional<uint64_t> number(std::string_view text) {
    uint64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(out)
                                                                    : std::nullopt;
}

int draw_all(uint64_t texts, uint64_t seed) {
    const Drawer drawer;
    Rng rng(seed);
    for (std::string line; std::getline(std::cin, line);)
        std::cout << dump_json(drawer.draw(line, texts, rng)) << '\n';
    return 0;
}

}  // namespace
}  // namespace brigada

int main(int argc, char** argv) {
    const auto texts = argc == 3 ? brigada::number(argv[1]) : std::nullopt;
    const auto seed = argc == 3 ? brigada::number(argv[2]) : std::nullopt;
    if (texts && seed) return brigada::draw_all(*texts, *seed);
    std::cerr << "draw_instances TEXTS SEED, with schemas on standard input, one a line\n";
    return 2;
}
