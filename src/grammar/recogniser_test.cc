#include "grammar/recogniser.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/rng.h"
#include "grammar/toy_vocabulary.h"

namespace brigada {
namespace {

using Node = GrammarBuilder::Node;

/// Which ends a piece can have when it begins at a byte of a text: computed again and again until
/// nothing new comes, so that recursion of any kind is right.
class NaiveMatcher {
  public:
    NaiveMatcher(const GrammarBuilder& builder, std::string text)
        : builder_(builder), text_(std::move(text)) {}

    bool matches(Expr root) {
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t rule = 0; rule < builder_.rules().size(); ++rule)
                for (size_t at = 0; at <= text_.size(); ++at)
                    for (size_t end : ends(*builder_.rules()[rule].body, at))
                        changed |= known_[{rule, at}].insert(end).second;
        }
        return ends(root, 0).contains(text_.size());
    }

  private:
    using Ends = std::set<size_t>;

    Ends ends(Expr expr, size_t at) {
        const Node& node = builder_.node(expr);
        Ends out;
        switch (node.kind) {
            case Node::Kind::literal:
                if (text_.compare(at, node.bytes.size(), node.bytes) == 0)
                    out.insert(at + node.bytes.size());
                return out;
            case Node::Kind::one_of:
                if (at < text_.size() && node.set.contains(static_cast<uint8_t>(text_[at])))
                    out.insert(at + 1);
                return out;
            case Node::Kind::byte:
                if (at < text_.size() && static_cast<uint8_t>(text_[at]) >= node.range.first &&
                    static_cast<uint8_t>(text_[at]) <= node.range.last)
                    out.insert(at + 1);
                return out;
            case Node::Kind::sequence:
                out = {at};
                for (Expr part : node.parts)
                    out = from_each(part, out);
                return out;
            case Node::Kind::either:
                for (Expr part : node.parts)
                    out.merge(ends(part, at));
                return out;
            case Node::Kind::repeat:
                return repeated(node, at);
            case Node::Kind::call:
                return known_[{static_cast<uint32_t>(node.rule), at}];
            case Node::Kind::graph:
                break;
        }
        return out;
    }
    Ends from_each(Expr part, const Ends& starts) {
        Ends out;
        for (size_t start : starts)
            out.merge(ends(part, start));
        return out;
    }
    Ends repeated(const Node& node, size_t at) {
        Ends now = {at};
        Ends out;
        const uint32_t most = node.most.value_or(node.least + static_cast<uint32_t>(text_.size()));
        for (uint32_t i = 0; i <= most; ++i) {
            if (i >= node.least) out.insert(now.begin(), now.end());
            now = from_each(node.parts[0], now);
        }
        return out;
    }

    const GrammarBuilder& builder_;
    std::string text_;
    std::map<std::pair<uint32_t, size_t>, Ends> known_;
};

Expr random_expr(GrammarBuilder& builder, Rng& rng, uint32_t rules, int depth) {
    switch (depth == 0 ? rng.below(3) : rng.below(8)) {
        case 0:
            return builder.literal(
                std::string(rng.below(3), static_cast<char>('a' + rng.below(2))));
        case 1:
            return builder.one_of({{'a', static_cast<char32_t>('a' + rng.below(2))}});
        case 2:
            return builder.call(Rule{static_cast<uint32_t>(rng.below(rules))});
        case 3: {
            const auto least = static_cast<uint32_t>(rng.below(3));
            const auto more = static_cast<uint32_t>(rng.below(3));
            return builder.repeat(random_expr(builder, rng, rules, depth - 1), least,
                                  more == 2 ? std::nullopt : std::optional(least + more));
        }
        default: {
            std::vector<Expr> parts;
            for (size_t i = rng.below(3) + 1; i > 0; --i)
                parts.push_back(random_expr(builder, rng, rules, depth - 1));
            return rng.chance(0.5) ? builder.sequence(std::move(parts))
                                   : builder.either(std::move(parts));
        }
    }
}

TEST(Recogniser, accepts_what_trying_everything_accepts) {
    size_t accepted = 0, refused = 0;
    for (uint64_t seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        GrammarBuilder builder;
        const auto rules = static_cast<uint32_t>(rng.between(1, 4));
        for (uint32_t i = 0; i < rules; ++i)
            builder.declare(concat("r", i));
        for (uint32_t i = 0; i < rules; ++i)
            builder.define(Rule{i}, random_expr(builder, rng, rules, 3));
        const Expr root = builder.call(Rule{0});
        auto lowered = builder.build(root);
        if (!lowered.ok()) continue;  // matches nothing, which the test below looks at
        const auto grammar = std::make_shared<const Grammar>(std::move(lowered).value());
        for (int i = 0; i < 30; ++i) {
            std::string text;
            for (size_t n = rng.below(7); n > 0; --n)
                text += static_cast<char>('a' + rng.below(2));
            const bool expected = NaiveMatcher(builder, text).matches(root);
            ASSERT_EQ(accepts(grammar, text), expected) << text;
            ++(expected ? accepted : refused);
        }
    }
    EXPECT_GT(accepted, 1000u);
    EXPECT_GT(refused, 1000u);
}

TEST(Recogniser, a_live_position_can_always_be_led_to_an_end) {
    const auto grammar = gbnf_grammar(R"(
        root ::= "a" (dead | live)
        dead ::= "x" dead
        live ::= "y" live | "z")");
    Recogniser recogniser(grammar);
    const Position a = recogniser.step(recogniser.start(), 'a');
    EXPECT_EQ(recogniser.step(a, 'x'), kDead);
    EXPECT_NE(recogniser.step(a, 'y'), kDead);
}

TEST(Recogniser, what_repeats_takes_no_new_positions) {
    for (const char* text : {R"(root ::= "[" [^\]]* "]")", R"(root ::= item root | "."
                              item ::= "<" item ">" | "x")"}) {
        Recogniser recogniser(gbnf_grammar(text));
        Position at = recogniser.step(recogniser.start(), *text == 'r' ? '[' : 'x');
        if (at == kDead) at = recogniser.step(recogniser.start(), 'x');
        for (int i = 0; i < 10; ++i)
            at = recogniser.step(at, 'x');
        const size_t before = recogniser.positions();
        for (int i = 0; i < 10'000; ++i)
            at = recogniser.step(at, 'x');
        EXPECT_NE(at, kDead);
        EXPECT_EQ(recogniser.positions(), before);
    }
}

TEST(Grammar, nothing_and_the_empty_text_are_told_so) {
    GrammarBuilder builder;
    const Rule endless = builder.declare("endless");
    builder.define(endless, builder.sequence({builder.literal("a"), builder.call(endless)}));
    EXPECT_EQ(builder.build(builder.call(endless)).error().message, "no text can match it");
    EXPECT_EQ(builder.build(builder.never()).error().code, Code::invalid_argument);
    EXPECT_EQ(builder.build(builder.empty()).error().message, "only the empty text matches it");
}

TEST(Grammar, one_that_is_too_large_is_refused) {
    GrammarBuilder builder;
    Expr big = builder.literal("ab");
    for (int i = 0; i < 5; ++i)
        big = builder.repeat(big, 0, 1000);
    EXPECT_EQ(builder.build(big).error().code, Code::too_large);
}

}  // namespace
}  // namespace brigada
