#include "tokens/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/file.h"
#include "base/rng.h"
#include "tokens/byte_alphabet.h"
#include "tokens/stream_decoder.h"
#include "tokens/unicode.h"

namespace brigada {
namespace {

Tokenizer tiny(const std::string& name) {
    const Path path = Path(BRIGADA_TESTDATA) / "tokenizer-tiny" / (name + ".json");
    return Tokenizer::from_json(read_file(path, 1 << 20).value(), "").value();
}

Tokens ids(std::initializer_list<uint32_t> numbers) {
    Tokens out;
    for (const uint32_t n : numbers)
        out.push_back(TokenId{n});
    return out;
}

std::string stream(const Tokenizer& tokenizer, std::span<const TokenId> tokens, bool skip_special) {
    StreamDecoder decoder(tokenizer, skip_special);
    std::string text;
    for (const TokenId id : tokens)
        text += decoder.append(id);
    return text + decoder.flush();
}

bool is_utf8(std::string_view text) {
    std::string valid;
    append_valid_utf8(text, valid);
    return valid == text;
}

/// A vocabulary of GPT-2's kind: all bytes, then `merges` random pairs of earlier pieces, and two
/// added tokens.
VocabularySpec random_bytes_spec(Rng& rng, size_t merges) {
    VocabularySpec spec;
    spec.pre = "gpt-2";
    std::vector<std::string> bytes;
    const std::string_view letters = "ab e";
    for (int b = 0; b < 256; ++b)
        bytes.push_back(std::string(1, static_cast<char>(b)));
    for (const char c : letters)
        bytes.push_back(std::string(1, c));  // drawn more often
    for (int b = 0; b < 256; ++b)
        spec.pieces.push_back(alphabet_of_bytes(bytes[static_cast<size_t>(b)]));
    for (size_t i = 0; i < merges; ++i) {
        const std::string left = bytes[256 + rng.below(bytes.size() - 256)];
        const std::string right = bytes[256 + rng.below(bytes.size() - 256)];
        const std::string piece = alphabet_of_bytes(left + right);
        if (left.size() + right.size() > 12) continue;
        spec.merges.push_back({alphabet_of_bytes(left), alphabet_of_bytes(right)});
        if (std::ranges::find(spec.pieces, piece) != spec.pieces.end()) continue;
        bytes.push_back(left + right);
        spec.pieces.push_back(piece);
    }
    const auto add = [&](std::string text, bool special) {
        spec.added.push_back({.text = text,
                              .id = TokenId{static_cast<uint32_t>(spec.pieces.size())},
                              .special = special});
        spec.pieces.push_back(std::move(text));
    };
    add("<|end|>", true);
    add("<tool>", false);
    spec.types.assign(spec.pieces.size(), PieceType::normal);
    spec.types[spec.pieces.size() - 2] = PieceType::control;
    spec.types[spec.pieces.size() - 1] = PieceType::user_defined;
    return spec;
}

/// Byte pair encoding as one would say it: look through the whole merge list, apply the first that
/// applies, at its leftmost place, and start again.
Tokens naive_bpe(const VocabularySpec& spec, const std::string& word) {
    std::vector<std::string> symbols;
    for (const char c : word)
        symbols.push_back(alphabet_of_bytes(std::string_view(&c, 1)));
    for (bool merged = true; merged;) {
        merged = false;
        for (const Merge& merge : spec.merges) {
            for (size_t i = 0; i + 1 < symbols.size() && !merged; ++i) {
                if (symbols[i] != merge.left || symbols[i + 1] != merge.right) continue;
                symbols[i] += symbols[i + 1];
                symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                merged = true;
            }
            if (merged) break;
        }
    }
    Tokens out;
    for (const std::string& symbol : symbols)
        out.push_back(TokenId{
            static_cast<uint32_t>(std::ranges::find(spec.pieces, symbol) - spec.pieces.begin())});
    return out;
}

TEST(Tokenizer, merges_as_looking_through_the_whole_list_does) {
    for (uint64_t seed = 0; seed < 60; ++seed) {
        Rng rng(seed);
        const VocabularySpec spec = random_bytes_spec(rng, 60);
        const Tokenizer tokenizer = Tokenizer::from_spec(spec).value();
        for (int i = 0; i < 20; ++i) {
            std::string
                word;  // of letters: one word for the pattern; short and long ones take two ways
            for (uint64_t n = 1 + rng.below(90); n > 0; --n)
                word += "abe"[rng.below(3)];
            ASSERT_EQ(tokenizer.encode(word, Specials::recognise), naive_bpe(spec, word))
                << "seed " << seed << ": " << word;
        }
    }
}

TEST(Tokenizer, decodes_what_it_encoded_whatever_the_text) {
    constexpr std::string_view kParts[] = {"a",       "b",      "e",    " ",      "  ",   "\n",
                                           "ab ab",   "é",      "中文", "😀",     "'s",   "42",
                                           "<|end|>", "<tool>", "<|",   "\u0301", "\x01", "\u00a0"};
    for (uint64_t seed = 0; seed < 100; ++seed) {
        Rng rng(seed);
        const Tokenizer tokenizer = Tokenizer::from_spec(random_bytes_spec(rng, 40)).value();
        std::string text;
        for (uint64_t n = rng.below(60); n > 0; --n)
            text += kParts[rng.below(std::size(kParts))];
        for (const Specials specials : {Specials::recognise, Specials::none, Specials::no_added}) {
            const Tokens tokens = tokenizer.encode(text, specials);
            ASSERT_EQ(tokenizer.decode(tokens, false), text) << "seed " << seed;
            ASSERT_EQ(stream(tokenizer, tokens, false), text) << "seed " << seed;
        }
    }
}

TEST(Tokenizer, keeps_bytes_that_are_not_utf8) {
    Rng rng(3);
    const Tokenizer tokenizer = Tokenizer::from_spec(random_bytes_spec(rng, 40)).value();
    std::string text, bytes;
    for (int i = 0; i < 5000; ++i)
        text += static_cast<char>(rng.below(256));
    for (const TokenId id : tokenizer.encode(text, Specials::recognise))
        bytes += tokenizer.bytes(id);
    EXPECT_EQ(bytes, text);
}

TEST(Tokenizer, reads_control_tokens_only_where_it_may) {
    Rng rng(1);
    const Tokenizer tokenizer = Tokenizer::from_spec(random_bytes_spec(rng, 10)).value();
    const TokenId end = tokenizer.find("<|end|>").value(), tool = tokenizer.find("<tool>").value();
    const auto has = [&](Specials specials, TokenId id) {
        const Tokens tokens = tokenizer.encode("x<|end|><tool>y", specials);
        return std::ranges::find(tokens, id) != tokens.end();
    };
    EXPECT_TRUE(has(Specials::recognise, end) && has(Specials::recognise, tool));
    EXPECT_TRUE(!has(Specials::none, end) && has(Specials::none, tool));
    EXPECT_TRUE(!has(Specials::no_added, end) && !has(Specials::no_added, tool));
    EXPECT_TRUE(tokenizer.is_special(end) && !tokenizer.is_special(tool));
    EXPECT_TRUE(tokenizer.ends_answer(end));  // by its name
    EXPECT_EQ(tokenizer.decode(std::vector{end, tool}, true), "<tool>");
}

/// Every stretch it was told of, and which it asked for again.
class Remembered final : public StretchCounts {
  public:
    std::optional<uint32_t> find(std::string_view stretch, bool is_first) override {
        const auto found = counts_.find({std::string(stretch), is_first});
        if (found == counts_.end()) return std::nullopt;
        ++hits;
        return found->second;
    }
    void keep(std::string_view stretch, bool is_first, uint32_t tokens) override {
        counts_[{std::string(stretch), is_first}] = tokens;
    }

    int hits = 0;

  private:
    std::map<std::pair<std::string, bool>, uint32_t> counts_;
};

TEST(Tokenizer, counts_what_it_encodes_also_from_memory) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        const Tokenizer tokenizer = Tokenizer::from_spec(random_bytes_spec(rng, 60)).value();
        Remembered known;
        for (int i = 0; i < 20; ++i) {
            std::string text;
            for (uint64_t part = 0; part <= rng.below(6); ++part)
                text += std::array{"ab", "<|end|>", " e", "a", "<tool>", "b a"}[rng.below(6)];
            for (const Specials specials : {Specials::recognise, Specials::none})
                ASSERT_EQ(tokenizer.count(text, specials, &known),
                          tokenizer.encode(text, specials).size())
                    << text;
        }
        EXPECT_GT(known.hits, 0);
    }
}

TEST(Tokenizer, knows_where_it_cuts_whatever_stands_around) {
    Rng rng(1);
    const Tokenizer tokenizer = Tokenizer::from_spec(random_bytes_spec(rng, 60)).value();
    const std::string_view text = "ab<tool>ab";
    EXPECT_TRUE(tokenizer.cuts_within(text, 0, 2));
    EXPECT_TRUE(tokenizer.cuts_within(text, 8, 10));
    EXPECT_TRUE(tokenizer.cuts_within(text, 1, 9));
    EXPECT_FALSE(tokenizer.cuts_within(text, 0, 1));
    EXPECT_FALSE(tokenizer.cuts_within(text, 3, 6));  // inside the token
    EXPECT_FALSE(tokenizer.cuts_within(text, 9, 10));
}

TEST(Tokenizer, appends_to_what_is_there) {
    const Tokenizer tokenizer = tiny("stories260K");
    Tokens out = ids({1});
    tokenizer.append_encoded("Once upon a time", Specials::none, out);
    EXPECT_EQ(out,
              ids({1, 403, 407, 261, 378}));  // llama2.c's prompt ids, as in the model's goldens
}

TEST(Tokenizer, of_stories_gives_the_ids_the_reference_run_used) {
    const Tokenizer tokenizer = tiny("stories260K");
    const std::string text = "Tom and Lily went to the park. They saw a big";
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text, Specials::none), false), text);
    EXPECT_EQ(tokenizer.bos(), TokenId{1});
    EXPECT_TRUE(tokenizer.add_bos());
    EXPECT_EQ(tokenizer.size(), 512u);
    EXPECT_TRUE(tokenizer.strips_first_space());
    // é and 😀 have no piece: bytes b are tokens b + 3
    EXPECT_EQ(tokenizer.decode(tokenizer.encode("é😀", Specials::none), false), "é😀");
}

TEST(Tokenizer, of_shakespeare_is_bytes_behind_three_tokens) {
    const Tokenizer tokenizer = tiny("shakespeare");
    EXPECT_EQ(tokenizer.encode("Oé", Specials::recognise), ids({3 + 'O', 3 + 0xc3, 3 + 0xa9}));
    EXPECT_EQ(tokenizer.encode("<s>", Specials::recognise), ids({1}));
    EXPECT_EQ(tokenizer.encode("<s>", Specials::none), ids({3 + '<', 3 + 's', 3 + '>'}));
}

TEST(StreamDecoder, never_gives_half_a_character) {
    const Tokenizer tokenizer = tiny("shakespeare");  // every token is a byte
    for (uint64_t seed = 0; seed < 300; ++seed) {
        Rng rng(seed);
        Tokens tokens;
        for (uint64_t n = rng.below(30); n > 0; --n) {
            constexpr uint8_t kTelling[] = {'a',  0xc3, 0xa9, 0xe2, 0x82, 0xac,
                                            0xf0, 0x9f, 0x98, 0x80, 0xff, 0xed};
            tokens.push_back(TokenId{3u + kTelling[rng.below(std::size(kTelling))]});
        }
        StreamDecoder decoder(tokenizer);
        std::string text;
        for (const TokenId id : tokens) {
            const std::string part = decoder.append(id);
            ASSERT_TRUE(is_utf8(part)) << "seed " << seed;
            text += part;
        }
        ASSERT_EQ(text + decoder.flush(), tokenizer.decode(tokens, true)) << "seed " << seed;
    }
}

TEST(StreamDecoder, leaves_out_the_control_tokens_that_nobody_asked_to_see) {
    const Tokenizer tokenizer = tiny("shakespeare");
    const Tokens tokens = tokenizer.encode("a<s>b</s>c", Specials::recognise);
    StreamDecoder decoder(tokenizer, true, ids({1}));
    std::string text;
    for (const TokenId id : tokens)
        text += decoder.append(id);
    EXPECT_EQ(text, "a<s>bc");
}

TEST(StreamDecoder, drops_the_first_space_as_the_whole_text_does) {
    const Tokenizer tokenizer = tiny("stories260K");
    const Tokens tokens = tokenizer.encode("  two spaces", Specials::none);
    EXPECT_EQ(stream(tokenizer, tokens, true), "  two spaces");
    const Tokens with_bos = tokenizer.encode("<s>Once<s> upon", Specials::recognise);
    EXPECT_EQ(stream(tokenizer, with_bos, false), tokenizer.decode(with_bos, false));
    EXPECT_EQ(stream(tokenizer, with_bos, true), tokenizer.decode(with_bos, true));
}

/// The same SentencePiece vocabulary with scores instead of merges, as a GGUF gives it.
VocabularySpec scored_spec() {
    VocabularySpec spec;
    spec.kind = VocabularyKind::bpe_spm;
    spec.pieces = {"<unk>", "<s>", "</s>", "▁", "a", "b", "ab", "▁ab", "ba", "▁a"};
    spec.scores = {0, 0, 0, -10, -11, -12, -3, -2, -1, -3};
    spec.types.assign(spec.pieces.size(), PieceType::normal);
    spec.types[0] = PieceType::unknown;
    spec.types[1] = spec.types[2] = PieceType::control;
    spec.unk = TokenId{0};
    spec.add_space_prefix = true;
    return spec;
}

TEST(Tokenizer, merges_by_score_the_greatest_first_and_the_leftmost_of_equals) {
    const Tokenizer tokenizer = Tokenizer::from_spec(scored_spec()).value();
    EXPECT_EQ(tokenizer.encode("ab", Specials::none), ids({7}));      // ▁ a b: ab or ▁a, then ▁ab
    EXPECT_EQ(tokenizer.encode("aba", Specials::none), ids({9, 8}));  // ba first
    EXPECT_EQ(tokenizer.encode("xyb", Specials::none), ids({3, 0, 5}));  // a run of unknowns is one
    EXPECT_EQ(tokenizer.encode("a</s>a", Specials::recognise), ids({9, 2, 9}));
    EXPECT_EQ(tokenizer.encode("a</s>", Specials::none), ids({9, 0}));
    EXPECT_EQ(tokenizer.decode(ids({7, 7}), false), "ab ab");
}

TEST(Tokenizer, takes_the_segmentation_with_the_greatest_sum) {
    VocabularySpec spec = scored_spec();
    spec.kind = VocabularyKind::unigram;
    const Tokenizer tokenizer = Tokenizer::from_spec(spec).value();
    // ▁ab -2, a -11 = -13; ▁a -3, ba -1 = -4
    EXPECT_EQ(tokenizer.encode("aba", Specials::none), ids({9, 8}));
    EXPECT_EQ(tokenizer.encode("ab", Specials::none), ids({7}));
    EXPECT_EQ(tokenizer.encode("xyb", Specials::none), ids({3, 0, 5}));
    spec.scores.clear();
    EXPECT_EQ(Tokenizer::from_spec(spec).error().code, Code::corrupt);
}

TEST(Tokenizer, says_what_is_wrong_with_a_spec) {
    const auto error = [](auto change) {
        VocabularySpec spec = scored_spec();
        change(spec);
        return Tokenizer::from_spec(std::move(spec)).error();
    };
    EXPECT_EQ(error([](auto& s) { s.scores.pop_back(); }).message,
              "9 scores for 10 pieces; there must be as many, or none");
    EXPECT_EQ(error([](auto& s) { s.bos = TokenId{10}; }).message,
              "BOS is token 10 of a vocabulary of 10");
    EXPECT_EQ(error([](auto& s) { s.merges = {{"a", "x"}}; }).message,
              "merge 0 of \"a\" and \"x\": the second is not in the vocabulary");
    EXPECT_EQ(error([](auto& s) { s.scores[3] = std::nanf(""); }).code, Code::corrupt);
    EXPECT_EQ(error([](auto& s) { s.pieces.clear(); }).code, Code::corrupt);
    const Error pre =
        error([](auto& s) { s.kind = VocabularyKind::bpe_bytes, s.pre = "esperanto"; });
    EXPECT_EQ(pre.code, Code::unsupported);
    EXPECT_TRUE(pre.message.starts_with("tokenizer.ggml.pre is \"esperanto\"")) << pre.message;
}

TEST(Vocabulary, merge_lines_are_cut_at_a_space_behind_the_first_byte) {
    EXPECT_EQ(parse_merge("Ġ t")->left, "Ġ");
    EXPECT_EQ(parse_merge("  x")->left, " ");
    for (const std::string_view line : {"", " ", "ab", "a "})
        EXPECT_EQ(parse_merge(line).error().code, Code::corrupt) << line;
}

}  // namespace
}  // namespace brigada
