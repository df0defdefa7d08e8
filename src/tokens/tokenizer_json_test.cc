#include "tokens/tokenizer_json.h"

#include <gtest/gtest.h>

#include "tokens/added_tokens.h"
#include "tokens/pre_tokenizer.h"
#include "tokens/tokenizer_config.h"

namespace brigada {
namespace {

/// A tokenizer.json with one member replaced or added.
std::string file_with(std::string_view key, std::string_view value) {
    return R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}, )" +
           concat("\"", key, "\": ", value, "}");
}

std::string failure(std::string_view key, std::string_view value) {
    const auto spec = read_tokenizer_json(file_with(key, value), "");
    return spec.ok() ? "" : spec.error().message;
}

TEST(TokenizerJson, reads_merges_as_strings_and_as_pairs) {
    const auto read = [](std::string_view merges) {
        return read_tokenizer_json(
            concat(R"({"model": {"type": "BPE", "vocab": {"a": 0, "b c": 1}, "merges": )", merges,
                   "}}"),
            "");
    };
    EXPECT_EQ(read(R"(["a b"])")->merges[0].right, "b");
    EXPECT_EQ(read(R"([["a", "b c"]])")->merges[0].right, "b c");
    EXPECT_EQ(read(R"([["a"]])").error().message, "tokenizer.json: merge 0 must be two pieces");
    EXPECT_EQ(read(R"(["ab"])").error().code, Code::corrupt);
}

TEST(TokenizerJson, names_what_it_does_not_support) {
    EXPECT_EQ(failure("normalizer", R"({"type": "BertNormalizer"})"),
              "tokenizer.json: the normaliser BertNormalizer is not supported by this build");
    EXPECT_EQ(failure("pre_tokenizer", R"({"type": "UnicodeScripts"})"),
              "tokenizer.json: the pre-tokeniser UnicodeScripts is not supported by this build");
    EXPECT_EQ(failure("decoder", R"({"type": "WordPiece"})"),
              "tokenizer.json: the decoder WordPiece is not supported by this build");
    EXPECT_EQ(
        failure("pre_tokenizer",
                R"({"type": "Sequence",
                "pretokenizers": [{"type": "ByteLevel"}, {"type": "Digits"}]})"),
        "tokenizer.json: the pre-tokeniser after ByteLevel, Digits is not supported by this build");
    EXPECT_EQ(read_tokenizer_json(R"({"model": {"type": "WordPiece"}})", "").error().message,
              "tokenizer.json: the model WordPiece is not supported by this build");
}

TEST(TokenizerJson, refuses_what_contradicts_itself_and_absurd_ids) {
    EXPECT_EQ(read_tokenizer_json("[1", "").error().code, Code::invalid_argument);
    EXPECT_EQ(read_tokenizer_json("[]", "").error().code, Code::invalid_argument);
    EXPECT_EQ(read_tokenizer_json("{}", "").error().message,
              "tokenizer.json: model must be an object");
    EXPECT_EQ(failure("added_tokens", R"([{"id": 4000000000, "content": "x"}])"),
              "tokenizer.json: token id 4000000000 in a vocabulary of 4 tokens");
    EXPECT_EQ(failure("added_tokens", R"([{"content": "x"}])"),
              "tokenizer.json: token id 18446744073709551615 in a vocabulary of 4 tokens");
    std::string nested = R"({"type": "NFC"})";
    for (int i = 0; i < 20; ++i)
        nested = concat(R"({"type": "Sequence", "normalizers": [)", nested, "]}");
    EXPECT_EQ(failure("normalizer", nested),
              "tokenizer.json: normalizer must be a Sequence not nested so deep");
}

TEST(TokenizerJson, learns_bos_and_eos_from_the_template_and_the_config) {
    const std::string json =
        file_with("post_processor",
                  R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "a"}},
            {"Sequence": {"id": "A"}},
            {"SpecialToken": {"id": "b"}}]})");
    const auto plain = read_tokenizer_json(json, "");
    EXPECT_TRUE(plain->add_bos && plain->add_eos);
    EXPECT_EQ(plain->bos, TokenId{0});
    EXPECT_EQ(plain->eos, TokenId{1});
    const auto configured = read_tokenizer_json(
        json, R"({"model_max_length": 1000000000000000019884624838656, "add_eos_token": false,
                  "eos_token": {"content": "ab"}, "bos_token": null, "pad_token": "b"})");
    EXPECT_TRUE(configured->add_bos && !configured->add_eos);
    EXPECT_EQ(configured->eos, TokenId{2});
    EXPECT_EQ(configured->pad, TokenId{1});
    EXPECT_EQ(read_tokenizer_config(R"({"bos_token": 3})").error().message,
              "tokenizer_config.json: bos_token must be a string or an object with content");
}

// --- splitting in Hugging Face's words -------------------------------------------------------

std::string split(std::vector<SplitStep> steps, std::string_view text) {
    const PreTokenizer pre = PreTokenizer::create(steps).value();
    Words words;
    pre.split(text, true, words);
    std::string out;
    for (const Span span : words.spans)
        out.append(words.text, span.begin, span.end - span.begin) += '|';
    return out;
}

SplitStep step(SplitStep::Kind kind, std::string pattern, SplitStep::Behaviour behaviour) {
    SplitStep out;
    out.kind = kind;
    out.pattern = std::move(pattern);
    out.behaviour = behaviour;
    return out;
}

/// The examples of Hugging Face's documentation of SplitDelimiterBehavior: "the-final--countdown"
/// at "-".
TEST(PreTokenizer, behaves_as_documented) {
    using Behaviour = SplitStep::Behaviour;
    const auto at_dash = [](Behaviour behaviour) {
        return split({step(SplitStep::Kind::literal, "-", behaviour)}, "the-final--countdown");
    };
    EXPECT_EQ(at_dash(Behaviour::removed), "the|final|countdown|");
    EXPECT_EQ(at_dash(Behaviour::isolated), "the|-|final|-|-|countdown|");
    EXPECT_EQ(at_dash(Behaviour::merged_with_previous), "the-|final-|-|countdown|");
    EXPECT_EQ(at_dash(Behaviour::merged_with_next), "the|-final|-|-countdown|");
    EXPECT_EQ(at_dash(Behaviour::contiguous), "the|-|final|--|countdown|");
}

TEST(PreTokenizer, runs_steps_one_after_the_other) {
    using Kind = SplitStep::Kind;
    using Behaviour = SplitStep::Behaviour;
    EXPECT_EQ(split({step(Kind::digits, "", Behaviour::isolated)}, "a12b"), "a|1|2|b|");
    EXPECT_EQ(split({step(Kind::digits, "", Behaviour::contiguous)}, "a12b"), "a|12|b|");
    EXPECT_EQ(split({step(Kind::punctuation, "", Behaviour::isolated)}, "a,,b"), "a|,|,|b|");
    SplitStep whitespace = step(Kind::whitespace, "", Behaviour::removed);
    whitespace.invert = true;
    EXPECT_EQ(split({whitespace}, "Hi there, you"), "Hi|there|,|you|");
    SplitStep metaspace = step(Kind::metaspace, "▁", Behaviour::merged_with_next);
    metaspace.individual = true;
    EXPECT_EQ(split({metaspace}, "Hey  you"), "▁Hey|▁|▁you|");
    EXPECT_EQ(split({step(Kind::spaces, "", Behaviour::removed), metaspace}, " a b "), "▁a|▁b|");
    EXPECT_EQ(split({step(Kind::byte_prefix, "", Behaviour::isolated)}, "a"), " a|");
    EXPECT_EQ(split({step(Kind::regex, "[0-9]+|x", Behaviour::isolated)}, "a12xb"), "a|12|x|b|");
}

// --- added tokens ------------------------------------------------------------------------------

TEST(AddedTokens, finds_the_longest_at_the_first_place) {
    const AddedTokens added({{.text = "<a>", .id = TokenId{1}},
                             {.text = "<a><b>", .id = TokenId{2}},
                             {.text = "b", .id = TokenId{3}, .special = true}});
    const std::string_view text = "x<a><b>b<a>";
    EXPECT_EQ(added.find(text, 0, false).token->id, TokenId{2});
    EXPECT_EQ(added.find(text, 0, false).span, (Span{1, 7}));
    EXPECT_EQ(added.find(text, 7, false).token->id, TokenId{3});
    EXPECT_EQ(added.find(text, 7, true).span, (Span{8, 11}));
    EXPECT_EQ(added.find(text, 9, false).token, nullptr);
    EXPECT_EQ(added.find("<a", 0, false).token, nullptr);
}

TEST(AddedTokens, takes_white_space_and_leaves_parts_of_words) {
    const AddedTokens added({{.text = "<m>", .id = TokenId{1}, .lstrip = true, .rstrip = true},
                             {.text = "cat", .id = TokenId{2}, .single_word = true}});
    EXPECT_EQ(added.find("a \u3000<m> \n b", 0, false).span, (Span{1, 11}));
    EXPECT_EQ(added.find("a  <m>", 2, false).span, (Span{2, 6}));
    EXPECT_EQ(added.find("concat cats _cat cat.", 0, false).span, (Span{17, 20}));
}

}  // namespace
}  // namespace brigada
