#include "tokens/pre_tokenizer.h"

#include "base/concat.h"
#include "tokens/unicode.h"

namespace brigada {

namespace {

using Behaviour = SplitStep::Behaviour;
using Kind = SplitStep::Kind;

/// A stretch of a range: a match of the pattern, or what lies between matches.
struct Stretch {
    Span span;
    bool is_match = false;
};

std::vector<Stretch> stretches(Span range, const std::vector<Span>& matches, bool invert) {
    std::vector<Stretch> out;
    size_t at = range.begin;
    for (const Span match : matches) {
        if (at < match.begin) out.push_back({{at, match.begin}, invert});
        out.push_back({match, !invert});
        at = match.end;
    }
    if (at < range.end) out.push_back({{at, range.end}, invert});
    return out;
}

/// Joins stretches as `behaviour` says and appends them as words.
void append_words(const std::vector<Stretch>& all, Behaviour behaviour, std::vector<Span>& words) {
    bool last_matched = false;
    size_t first = words.size();
    for (size_t i = 0; i < all.size(); ++i) {
        const auto [span, is_match] = all[i];
        const bool has_last = words.size() > first;
        bool joins = false;
        if (behaviour == Behaviour::removed && is_match) continue;
        if (behaviour == Behaviour::contiguous) joins = has_last && is_match == last_matched;
        if (behaviour == Behaviour::merged_with_previous)
            joins = has_last && is_match && !last_matched;
        if (behaviour == Behaviour::merged_with_next) joins = has_last && last_matched && !is_match;
        if (joins)
            words.back().end = span.end;
        else
            words.push_back(span);
        last_matched = is_match;
    }
}

void find_literal(std::string_view text, Span range, std::string_view literal,
                  std::vector<Span>& matches) {
    for (size_t at = range.begin; (at = text.find(literal, at)) < range.end;) {
        if (at + literal.size() > range.end) return;
        matches.push_back({at, at + literal.size()});
        at += literal.size();
    }
}

/// Each character of one of these classes is a match.
void find_classes(std::string_view text, Span range, uint8_t classes, std::vector<Span>& matches) {
    for (size_t at = range.begin; at < range.end;) {
        const Char c = char_at(text.substr(0, range.end), at);
        if (classes_of(c.code) & classes) matches.push_back({at, at + c.bytes});
        at += c.bytes;
    }
}

/// Appends one word of metaspace: spaces become the mark, and one stands in front if wanted.
void append_metaspace(std::string_view word, const SplitStep& spec, bool first, std::string& out) {
    const bool prepend = spec.prepend == SplitStep::Prepend::always ||
                         (spec.prepend == SplitStep::Prepend::first && first);
    const bool has_mark = word.starts_with(' ') || word.starts_with(spec.pattern);
    if (prepend && !has_mark) out += spec.pattern;
    for (const char c : word) {
        if (c == ' ')
            out += spec.pattern;
        else
            out += c;
    }
}

/// Rewrites every word into a new text, by metaspace or by GPT-2's space in front.
void rewrite(const SplitStep& spec, bool at_start, Words& words) {
    std::string text;
    text.reserve(words.text.size() + 2 * words.spans.size() + 16);
    for (Span& span : words.spans) {
        const std::string_view word = words.text.substr(span.begin, span.end - span.begin);
        const size_t begin = text.size();
        if (spec.kind == Kind::metaspace) {
            append_metaspace(word, spec, at_start && span.begin == 0, text);
        } else {
            if (!word.starts_with(' ')) text += ' ';
            text += word;
        }
        span = {begin, text.size()};
    }
    words.rewritten = std::move(text);
    words.text = words.rewritten;
}

bool rewrites(const SplitStep& spec) {
    return spec.kind == Kind::metaspace || spec.kind == Kind::byte_prefix;
}

}  // namespace

Result<PreTokenizer> PreTokenizer::create(const std::vector<SplitStep>& steps) {
    PreTokenizer out;
    for (const SplitStep& spec : steps) {
        TRY(Step step, create_step(spec));
        out.steps_.push_back(std::move(step));
    }
    return out;
}

Result<PreTokenizer::Step> PreTokenizer::create_step(const SplitStep& spec) {
    Step step{.spec = spec, .regex = std::nullopt};
    if ((spec.kind == Kind::literal || spec.kind == Kind::metaspace) && spec.pattern.empty())
        return Error{Code::corrupt, "a split at an empty string"};
    if (spec.kind == Kind::whitespace) step.spec.pattern = R"(\w+|[^\w\s]+)";
    if (spec.kind != Kind::regex && spec.kind != Kind::whitespace) return step;

    const KnownPattern* known = find_known_pattern(step.spec.pattern);
    if (known && spec.behaviour == Behaviour::isolated && !spec.invert) {
        step.known = known->split;
        return step;
    }
    TRY(step.regex, Regex::compile(step.spec.pattern));
    return step;
}

void PreTokenizer::split(std::string_view text, bool at_start, Words& words) const {
    words.text = text;
    words.spans.clear();
    if (!text.empty()) words.spans.push_back({0, text.size()});
    for (const Step& step : steps_) {
        if (rewrites(step.spec)) rewrite(step.spec, at_start, words);
        cut(step, words);
    }
}

void PreTokenizer::cut(const Step& step, Words& words) {
    if (step.spec.kind == Kind::byte_prefix) return;
    if (step.spec.kind == Kind::metaspace && !step.spec.individual) return;
    std::vector<Span> before = std::move(words.spans);
    words.spans.clear();
    words.spans.reserve(before.size() + words.text.size() / 5);
    std::vector<Span> matches;
    for (const Span range : before) {
        if (step.known) {
            step.known(words.text, range, words.spans);
            continue;
        }
        matches.clear();
        find_matches(step, words.text, range, matches);
        append_words(stretches(range, matches, step.spec.invert), step.spec.behaviour, words.spans);
    }
}

void PreTokenizer::find_matches(const Step& step, std::string_view text, Span range,
                                std::vector<Span>& matches) {
    switch (step.spec.kind) {
        case Kind::regex:
        case Kind::whitespace:
            return step.regex->find_all(text, range, matches);
        case Kind::literal:
        case Kind::metaspace:
            return find_literal(text, range, step.spec.pattern, matches);
        case Kind::digits:
            return find_classes(text, range, kNumber, matches);
        case Kind::spaces:
            return find_classes(text, range, kSpace, matches);
        case Kind::punctuation:
            return find_classes(text, range, kPunctuation, matches);
        case Kind::byte_prefix:
            break;
    }
    CHECK(false, "a step without matches");
}

}  // namespace brigada
