#include "gateway/count/prompt_counter.h"

#include <algorithm>
#include <utility>

#include "api/json_fields.h"
#include "base/concat.h"
#include "gateway/count/turn_shape.h"

namespace brigada {

namespace {

constexpr size_t kMostShapeBytes = 4'096;
constexpr int64_t kDay = 86'400;

/// How long what strftime_now shows stays the same: a day, unless the time of day may be in it.
int64_t clock_step(std::string_view source) {
    if (!source.contains("strftime_now")) return 0;
    for (const std::string_view format : {"%H", "%I", "%M", "%S", "%p", "%c", "%X", "%T", "%R"})
        if (source.contains(format)) return 1;
    return kDay;
}

std::string kept_shape(const Json& shape) {
    std::string out = dump_json(shape);
    if (out.size() > kMostShapeBytes) out.clear();
    return out;
}

Json joined(Json messages, const Json& more) {
    for (const Json& message : more)
        messages.push_back(message);
    return messages;
}

}  // namespace

size_t PromptTurn::bytes() const {
    size_t out = source.tools.size() + source.system.size();
    for (const PromptMessage& message : source.messages)
        out += message.raw.size();
    return out;
}

PromptCounter::PromptCounter(PromptModel model) : model_(std::move(model)) {
    if (!model_.chat_template) return;
    clock_step_ = clock_step(model_.template_source);
    auto sought = jinja::sought_texts(model_.template_source);
    if (!sought.ok()) return;  // then nothing is appended
    sought_ = *std::move(sought);
    law_ = find_append_law(model_);
}

// --- reading ----------------------------------------------------------------------------------

Result<PromptTurn> PromptCounter::read(PromptSource source, const ContentKey& salt,
                                       int64_t now_unix) const {
    if (source.dialect == Dialect::completions) {
        source.messages = {{source.prompt, content_key(ContentKey(), source.prompt)}};
    } else {
        TRY(check_conversation(source));
    }
    ContentKey key = salt;
    for (const std::string_view field : source.around())
        key = content_key(key, field);
    if (clock_step_ > 0) key = content_key(key, std::to_string(now_unix / clock_step_));
    PromptTurn out{.keys = {content_key(key, to_string(source.dialect))}, .now_unix = now_unix};
    out.keys.reserve(source.messages.size() + 1);
    for (const PromptMessage& message : source.messages)
        out.keys.push_back(content_key(out.keys.back(), message.key));
    out.source = std::move(source);
    return out;
}

Result<void> PromptCounter::check_conversation(const PromptSource& source) const {
    if (source.dialect != Dialect::chat && !is_anthropic(source.dialect))
        return Error{Code::unsupported,
                     concat("prompts of ", to_string(source.dialect), " are not counted")};
    if (!has_template()) return Error{Code::unsupported, "the tokenizer has no chat template"};
    const bool are_objects = std::ranges::all_of(
        source.messages, [](const PromptMessage& message) { return message.raw.starts_with('{'); });
    if (source.messages.empty() || !are_objects)
        return Error{Code::invalid_argument,
                     "messages: must be a list of objects, with one at least"};
    return {};
}

/// Whether nothing but tools and messages makes the prompt.
bool PromptCounter::is_plain(const PromptTurn& turn) const {
    const PromptSource& source = turn.source;
    return source.dialect != Dialect::completions && source.template_arguments.empty() &&
           source.add_generation_prompt.empty() && source.continue_final_message.empty();
}

bool PromptCounter::is_sought(std::string_view text) const {
    if (std::ranges::binary_search(sought_.whole, text)) return true;
    return std::ranges::any_of(sought_.inside,
                               [&](const std::string& sought) { return text.contains(sought); });
}

bool PromptCounter::is_sought(const Json& message) const {
    for (const char* name : {"content", "reasoning_content"}) {
        const auto found = message.find(name);
        if (found != message.end() && found->is_string() &&
            is_sought(std::string_view(found->get_ref<const std::string&>())))
            return true;
    }
    return false;
}

// --- counting ---------------------------------------------------------------------------------

Result<int64_t> PromptCounter::tokens_of(const ChatInput& conversation) const {
    TRY(const std::string text, model_.chat_template->render(conversation));
    return static_cast<int64_t>(model_.tokenizer.count(text, Specials::recognise));
}

std::optional<CountedPrompt> PromptCounter::count_appended(const PromptTurn& turn, CountMemo& memo,
                                                           size_t most_bytes) const {
    if (const CountedPrompt* same = memo.find(turn.key())) return *same;
    if (!is_plain(turn)) return std::nullopt;
    std::vector<Json> read;  // the last messages, backwards
    size_t bytes = 0;
    bool more_ends_turn = false;
    for (size_t at = turn.source.messages.size(); at-- > 1;) {
        const std::string_view raw = turn.source.messages[at].raw;
        bytes += raw.size();
        if (bytes > most_bytes) return std::nullopt;
        Json& part = read.emplace_back(Json::array());
        if (!append_message(raw, turn.source.dialect, part).ok()) return std::nullopt;
        for (const Json& message : part)
            if (is_sought(message)) return std::nullopt;
        more_ends_turn = more_ends_turn || ends_turn(part);
        const CountedPrompt* before = memo.find(turn.keys[at]);
        if (!before) continue;
        if (before->shape.empty()) return std::nullopt;
        const Json shape = *parse_json(before->shape, "a kept shape");
        if (!law_.allows(ends_with_user(shape), more_ends_turn)) continue;
        Json more = Json::array();
        for (const Json& messages : std::views::reverse(read))
            more = joined(std::move(more), messages);
        return append(turn, before->tokens, shape, more);
    }
    return std::nullopt;
}

std::optional<CountedPrompt> PromptCounter::append(const PromptTurn& turn, int64_t tokens_before,
                                                   const Json& shape, const Json& more) const {
    if (!continues(more)) return std::nullopt;
    const Json tools = shape_of_tools(has_tools(turn.source));
    const auto longer =
        tokens_of({.messages = joined(shape, more), .tools = tools, .now_unix = turn.now_unix});
    const auto shorter = tokens_of({.messages = shape, .tools = tools, .now_unix = turn.now_unix});
    if (!longer.ok() || !shorter.ok()) return std::nullopt;
    return CountedPrompt{.tokens = tokens_before + *longer - *shorter,
                         .shape = kept_shape(shape_after(shape, more))};
}

Result<CountedPrompt> PromptCounter::count_whole(const PromptTurn& turn,
                                                 StretchCounts* known) const {
    if (turn.source.dialect == Dialect::completions) return count_prompt(turn.source.prompt);
    return count_conversation(turn, known);
}

Result<CountedPrompt> PromptCounter::count_conversation(const PromptTurn& turn,
                                                        StretchCounts* known) const {
    TRY(ChatInput conversation, read_around(turn.source));
    conversation.now_unix = turn.now_unix;
    for (const PromptMessage& message : turn.source.messages)
        TRY(append_message(message.raw, turn.source.dialect, conversation.messages));
    TRY(const std::string text, model_.chat_template->render(conversation));
    CountedPrompt out{
        .tokens = static_cast<int64_t>(model_.tokenizer.count(text, Specials::recognise, known))};
    const bool is_like_others =
        is_plain(turn) && std::ranges::none_of(conversation.messages, [&](const Json& message) {
            return is_sought(message);
        });
    if (!is_like_others) return out;
    if (const auto shape = shape_of(conversation.messages)) out.shape = kept_shape(*shape);
    return out;
}

int64_t PromptCounter::count_text(std::string_view text) const {
    const bool has_bos = model_.tokenizer.add_bos() && model_.tokenizer.bos();
    return count_output(text) + (has_bos ? 1 : 0);
}

int64_t PromptCounter::count_output(std::string_view text) const {
    return static_cast<int64_t>(model_.tokenizer.count(text, Specials::recognise));
}

/// A text, several, ids, or several lists of ids.
Result<CountedPrompt> PromptCounter::count_prompt(std::string_view raw) const {
    TRY(const Json prompt, parse_json(raw, "prompt"));
    CountedPrompt out;
    if (prompt.is_string()) {
        out.tokens = count_text(prompt.get_ref<const std::string&>());
        return out;
    }
    if (!prompt.is_array())
        return Error{Code::invalid_argument, "prompt: must be text, or a list of texts or ids"};
    for (const Json& item : prompt) {
        if (item.is_string())
            out.tokens += count_text(item.get_ref<const std::string&>());
        else
            out.tokens += item.is_array() ? static_cast<int64_t>(item.size()) : 1;
    }
    return out;
}

}  // namespace brigada
