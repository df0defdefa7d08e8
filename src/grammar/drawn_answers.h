// Answers drawn at random from grammars with calls in them: what the tests of such grammars share.
#pragma once

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/concat.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "grammar/grammar_masks.h"
#include "grammar/toy_vocabulary.h"
#include "toolcall/call_shape.h"

namespace brigada {

/// A tool as read_tool_calls() reads it, and a list of them as requests have it.
inline Json called_tool(const std::string& name, const Json& parameters, bool strict = true) {
    return {{"name", name}, {"parameters", parameters}, {"strict", strict}};
}

inline Json as_openai(const Json& tools) {
    Json out = Json::array();
    for (const Json& one : tools)
        out.push_back({{"type", "function"},
                       {"function", {{"name", one["name"]}, {"parameters", one["parameters"]}}}});
    return out;
}

/// The schemas that another validator knows: testdata/json-schema/ORIGIN.
inline std::vector<Json> known_schemas() {
    const Path path = Path(BRIGADA_TESTDATA) / "json-schema" / "cases.jsonl";
    std::istringstream lines(read_file(path, 16 << 20).value());
    std::vector<Json> out;
    for (std::string line; std::getline(lines, line);)
        out.push_back(parse_json(line, "cases.jsonl").value()["schema"]);
    return out;
}

/// A model that knows nothing: says `wish` where it may, then anything, and in the end more and
/// more of what closes something.
class Walk {
  public:
    Walk(const Tokenizer& tokenizer, GrammarMasks& masks, const CallShape& shape)
        : tokenizer_(tokenizer),
          masks_(masks),
          at_(masks.start(false)),
          closing_({"<|call|>", bare(shape.close), bare(shape.end), std::string(shape.tags.end),
                    concat("\n", shape.tags.end), "}", "]", "\"", ")"}) {
        std::erase(closing_, "");
    }

    /// nullopt when it takes too long.
    std::optional<std::string> run(std::string_view wish, Rng& rng) {
        for (const char c : wish)
            if (!take(std::string(1, c))) break;
        const uint64_t steps = rng.below(30);
        for (uint64_t step = 0; step < 300; ++step) {
            if (step >= steps && masks_.may_end(at_)) return text_;
            if (step >= steps && rng.chance(0.7) && close()) continue;
            std::vector<TokenId> choices;
            const TokenMask& allowed = masks_.allowed(at_);
            for (uint32_t id = 0; id < tokenizer_.size(); ++id)
                if (allowed.contains(TokenId{id})) choices.push_back(TokenId{id});
            CHECK(!choices.empty() || masks_.may_end(at_), "a dead end after ", text_);
            if (choices.empty()) return text_;
            take(std::string(tokenizer_.bytes(choices[rng.below(choices.size())])));
        }
        return std::nullopt;
    }

    static std::string bare(std::string_view text) {
        std::string out(text);
        std::erase(out, '\n');
        return out;
    }

  private:
    bool close() {
        return std::ranges::any_of(closing_, [&](const std::string& text) { return take(text); });
    }

    bool take(const std::string& bytes) {
        const Position next = masks_.step(at_, bytes);
        if (next == kDead) return false;
        at_ = next;
        text_ += bytes;
        return true;
    }

    const Tokenizer& tokenizer_;
    GrammarMasks& masks_;
    Position at_;
    std::vector<std::string> closing_;
    std::string text_;
};

}  // namespace brigada
