// Strings by length, pattern and format.
#include <algorithm>

#include "base/concat.h"
#include "grammar/regex_syntax.h"
#include "grammar/schema_reader.h"
#include "grammar/string_formats.h"

namespace brigada {

namespace {

struct Lengths {
    uint32_t least = 0;
    std::optional<uint32_t> most{};
    bool any() const { return least > 0 || most; }
};

Result<Lengths> lengths_of(const SchemaParts& parts) {
    Lengths out;
    for (const SchemaPart& part : parts) {
        for (const char* keyword : {"minLength", "maxLength"}) {
            TRY(const auto count, part.count(keyword));
            if (!count) continue;
            if (*count > kMaxCountedCharacters)
                return part.error(Code::too_large, keyword,
                                  concat("at most ", kMaxCountedCharacters,
                                         " characters are counted; got ", *count));
            const auto length = static_cast<uint32_t>(*count);
            if (keyword == std::string_view("minLength"))
                out.least = std::max(out.least, length);
            else
                out.most = std::min(out.most.value_or(length), length);
        }
    }
    return out;
}

Expr any_characters(GrammarBuilder& b, const Lengths& lengths) {
    return b.repeat(b.one_of(CodePointSet::all()), lengths.least, lengths.most);
}

}  // namespace

Result<Expr> SchemaReader::read_string(const SchemaParts& parts) {
    TRY(const Lengths lengths, lengths_of(parts));
    if (lengths.most && lengths.least > *lengths.most) return b_.never();
    TRY(const std::vector<Expr> languages, string_languages(parts));
    if (languages.empty() && !lengths.any()) return json_.any_string();
    if (languages.empty()) return json_.any_string(lengths.least, lengths.most);
    if (languages.size() == 1 && !lengths.any()) return shared_string(languages.front());
    TRY(const CodePointDfa contents, string_contents(parts));
    return json_.string_of(contents.to_expr(b_));
}

/// A catalogue has the same formats again and again.
Expr SchemaReader::shared_string(Expr language) {
    auto [known, fresh] = strings_.emplace(language, Rule{});
    if (fresh) {
        known->second = b_.declare("string", true);
        b_.define(known->second, json_.string_of(language));
    }
    return b_.call(known->second);
}

/// What patterns and formats ask, one each.
Result<std::vector<Expr>> SchemaReader::string_languages(const SchemaParts& parts) {
    std::vector<Expr> out;
    for (const SchemaPart& part : parts) {
        for (const char* keyword : {"pattern", "format"}) {
            const Json* value = part.find(keyword);
            if (!value) continue;
            if (!value->is_string())
                return part.error(Code::invalid_argument, keyword, "must be a string");
            std::string regex = value->get<std::string>();
            RegexMatch match = RegexMatch::within;
            if (keyword == std::string_view("format")) {
                auto of_format = format_regex(regex);
                if (!of_format.ok()) return part.error(keyword, std::move(of_format).error());
                if (of_format->empty()) continue;
                regex = *std::move(of_format);
                match = RegexMatch::whole;
            }
            const auto known = languages_.find({regex, match});
            if (known != languages_.end()) {
                out.push_back(known->second);
                continue;
            }
            auto language = read_regex(b_, regex, match);
            if (!language.ok()) return part.error(keyword, std::move(language).error());
            languages_.emplace(std::pair(regex, match), *language);
            out.push_back(*language);
        }
    }
    return out;
}

/// What all of it together leaves.
Result<CodePointDfa> SchemaReader::string_contents(const SchemaParts& parts) {
    TRY(const Lengths lengths, lengths_of(parts));
    if (lengths.most && lengths.least > *lengths.most) return CodePointDfa::from(b_, b_.never());
    TRY(std::vector<Expr> languages, string_languages(parts));
    if (lengths.any() || languages.empty()) languages.push_back(any_characters(b_, lengths));
    std::optional<CodePointDfa> out;
    for (Expr language : languages) {
        auto next = CodePointDfa::from(b_, language);
        if (next.ok() && out) next = CodePointDfa::both(*out, *next);
        if (!next.ok()) return parts.front().error("pattern", std::move(next).error());
        out = *std::move(next);
    }
    return *std::move(out);
}

}  // namespace brigada
