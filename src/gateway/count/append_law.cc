#include "gateway/count/append_law.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/concat.h"
#include "base/rng.h"
#include "gateway/count/turn_shape.h"

namespace brigada {

namespace {

constexpr int kTries = 128;
constexpr int kLeastAgreeing = 16;  // of them: a template that refuses most has shown little

/// Conversations as agents have them, with all that templates are known to tell apart.
class Talk {
  public:
    explicit Talk(uint64_t seed) : rng_(seed), is_plain_(rng_.chance(0.3)) {}

    Json beginning(bool ends_with_user) {
        Json out = Json::array();
        if (!is_plain_ && rng_.chance(0.7))
            out.push_back({{"role", "system"}, {"content", text()}});
        add_user(out);
        const uint64_t turns = rng_.below(4);
        for (uint64_t i = 0; i < turns; ++i) {
            add_turn(out);
            add_user(out);
        }
        if (!ends_with_user) add_rounds(out, 1 + rng_.below(3));
        return out;
    }

    /// Begins with an assistant, ends with a user or a tool.
    Json continuation(bool ends_turn) {
        Json out = Json::array();
        if (ends_turn) {
            add_turn(out);
            if (is_plain_ || rng_.chance(0.9)) add_user(out);
        }
        if (!ends_turn || ends_with_assistant(out) || (!is_plain_ && rng_.chance(0.4)))
            add_rounds(out, 1 + rng_.below(3));
        return out;
    }

    Json tools() {
        if (is_plain_ || rng_.chance(0.3)) return nullptr;
        Json out = Json::array();
        for (uint64_t i = 0; i <= rng_.below(3); ++i)
            out.push_back({{"type", "function"},
                           {"function",
                            {{"name", concat("tool_", i)},
                             {"description", text()},
                             {"parameters",
                              {{"type", "object"},
                               {"properties", {{"path", {{"type", "string"}}}}},
                               {"required", {"path"}}}}}}});
        return out;
    }

  private:
    std::string text() {
        static constexpr std::string_view kWords[] = {"read ", " the", "file\n", "niño", "0x1f, ",
                                                      "}",     "\n\n", "  ",     "最后", "x"};
        std::string out;
        for (uint64_t i = 0; i <= rng_.below(6); ++i)
            out += kWords[rng_.below(std::size(kWords))];
        return out;
    }

    void add_user(Json& out) { out.push_back({{"role", "user"}, {"content", text()}}); }

    static bool ends_with_assistant(const Json& messages) {
        return !messages.empty() && messages.back()["role"] == "assistant";
    }

    void think(Json& message) {
        if (rng_.chance(0.4)) message["reasoning_content"] = text();
    }

    /// Rounds of calls, then an answer.
    void add_turn(Json& out) {
        if (!is_plain_) add_rounds(out, rng_.below(3));
        Json answer = {{"role", "assistant"}, {"content", text()}};
        think(answer);
        out.push_back(std::move(answer));
    }

    void add_rounds(Json& out, uint64_t count) {
        for (uint64_t i = 0; i < count; ++i)
            add_round(out);
    }

    void add_round(Json& out) {
        Json calls = Json::array(), results = Json::array();
        const uint64_t count = rng_.chance(0.8) ? 1 : 2;
        for (uint64_t i = 0; i < count; ++i) {
            const std::string id = concat("call", 10'000 + rng_.below(80'000));
            const Json arguments = {{"path", text()}};
            calls.push_back(
                {{"id", id},
                 {"type", "function"},
                 {"function", {{"name", "tool_0"}, {"arguments", dump_json(arguments)}}}});
            results.push_back({{"role", "tool"},
                               {"tool_call_id", id},
                               {"content", rng_.chance(0.1) ? "" : text()}});
        }
        Json message = {{"role", "assistant"},
                        {"content", rng_.chance(0.5) ? "" : text()},
                        {"tool_calls", std::move(calls)}};
        think(message);
        out.push_back(std::move(message));
        for (Json& result : results)
            out.push_back(std::move(result));
    }

    Rng rng_;
    bool is_plain_;  // no system, no tools: there are templates that take nothing else
};

enum class Outcome { agrees, differs, refused };

Json joined(Json messages, const Json& more) {
    for (const Json& message : more)
        messages.push_back(message);
    return messages;
}

size_t common_prefix(std::string_view a, std::string_view b) {
    return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

size_t common_suffix(std::string_view a, std::string_view b) {
    size_t size = 0;
    while (size < std::min(a.size(), b.size()) && a[a.size() - 1 - size] == b[b.size() - 1 - size])
        ++size;
    return size;
}

/// One conversation, counted whole and in parts. That the parts add up must be no accident: where
/// they meet there is an added token, which no piece of text grows across.
class Probe {
  public:
    Probe(const PromptModel& model, Json tools) : model_(model), tools_(std::move(tools)) {}

    Outcome compare(const Json& before, const Json& more) const {
        const auto shape = shape_of(before);
        if (!shape) return Outcome::refused;
        const Json shape_tools = shape_of_tools(!tools_.is_null());
        const auto whole = render(joined(before, more), tools_);
        const auto base = render(before, tools_);
        const auto small = render(joined(*shape, more), shape_tools);
        const auto small_base = render(*shape, shape_tools);
        if (!whole.ok() || !base.ok() || !small.ok() || !small_base.ok()) return Outcome::refused;
        if (tokens(*whole) != tokens(*base) + tokens(*small) - tokens(*small_base))
            return Outcome::differs;
        const size_t from = whole->size() - common_suffix(*whole, *small);
        const size_t to = common_prefix(*whole, *base);
        const bool is_cut = from <= to && model_.tokenizer.cuts_within(*whole, from, to);
        return is_cut ? Outcome::agrees : Outcome::differs;
    }

  private:
    Result<std::string> render(Json messages, Json tools) const {
        return model_.chat_template->render(
            {.messages = std::move(messages), .tools = std::move(tools)});
    }

    int64_t tokens(std::string_view text) const {
        return static_cast<int64_t>(model_.tokenizer.count(text, Specials::recognise));
    }

    const PromptModel& model_;
    Json tools_;
};

bool holds(const PromptModel& model, bool before_ends_with_user, bool more_ends_turn) {
    int agreeing = 0;
    for (uint64_t seed = 0; seed < kTries; ++seed) {
        Talk talk(seed);
        const Json before = talk.beginning(before_ends_with_user);
        const Json more = talk.continuation(more_ends_turn);
        const Outcome outcome = Probe(model, talk.tools()).compare(before, more);
        if (outcome == Outcome::differs) return false;
        agreeing += outcome == Outcome::agrees ? 1 : 0;
    }
    return agreeing >= kLeastAgreeing;
}

}  // namespace

AppendLaw find_append_law(const PromptModel& model) {
    return {.calls_after_user = holds(model, true, false),
            .turns_after_user = holds(model, true, true),
            .calls_after_tool = holds(model, false, false),
            .turns_after_tool = holds(model, false, true)};
}

}  // namespace brigada
