// Writes a request of Anthropic's Messages: what was said (messages_said.h), tools, and how to
// answer.
#include <algorithm>
#include <array>
#include <charconv>

#include "dialect/messages_said.h"
#include "dialect/thinking_effort.h"
#include "dialect/tool_words.h"
#include "dialect/writers.h"

namespace brigada {

namespace {

/// Where the client gave no limit, which this API demands: within what current models give, and
/// more than files are long.
constexpr int64_t kDefaultMaxTokens = 16'384;

// --- tools -----------------------------------------------------------------------------------

void write_tool(JsonOut& out, const Tool& tool) {
    out.begin_object();
    out.text_field("name", tool.name);
    write_description(out, tool);
    out.raw_field("input_schema", schema_of(tool));
    if (tool.strict.value_or(false)) out.boolean_field("strict", true);
    out.end_object();
}

std::string_view choice_type(ToolChoice::Kind kind) {
    switch (kind) {
        case ToolChoice::Kind::none:
            return "none";
        case ToolChoice::Kind::required:
            return "any";
        case ToolChoice::Kind::named:
            return "tool";
        case ToolChoice::Kind::unsaid:
        case ToolChoice::Kind::automatic:
            break;
    }
    return "auto";
}

void write_tool_choice(JsonOut& out, const ToolChoice& choice) {
    const bool alone = choice.parallel == false && choice.kind != ToolChoice::Kind::none;
    if (choice.kind == ToolChoice::Kind::unsaid && !alone) return;
    out.key("tool_choice");
    begin_block(out, choice_type(choice.kind));
    if (choice.kind == ToolChoice::Kind::named) out.text_field("name", choice.name);
    if (alone) out.boolean_field("disable_parallel_tool_use", true);
    out.end_object();
}

void write_tools(Writing& to) {
    write_tool_fields(to, write_tool, [&] { write_tool_choice(to.out, to.from.tool_choice); });
}

// --- thinking and sampling -------------------------------------------------------------------

bool forces_a_tool(const Conversation& from) {
    return !from.tools.empty() && (from.tool_choice.kind == ToolChoice::Kind::required ||
                                   from.tool_choice.kind == ToolChoice::Kind::named);
}

/// A budget as it was given; otherwise the model decides, led by the effort.
void write_thinking_wish(JsonOut& out, const ThinkingWish& wish) {
    if (wish.kind == ThinkingWish::Kind::unsaid) return;
    out.key("thinking");
    if (!thinks(wish)) {
        begin_block(out, "disabled");
    } else if (wish.budget_tokens) {
        begin_block(out, "enabled");
        out.number_field("budget_tokens", *wish.budget_tokens);
    } else {
        begin_block(out, "adaptive");
    }
    if (thinks(wish) && wish.shown)
        out.plain_field("display", *wish.shown ? "summarized" : "omitted");
    out.end_object();
}

/// Effort and the form of the answer.
void write_output_config(Writing& to, bool with_effort) {
    const OutputFormat& format = to.from.format;
    const Escaped effort = with_effort ? anthropic_effort(to.from.thinking) : Escaped();
    const bool schema = format.kind == OutputFormat::Kind::json_schema && !format.schema.empty();
    if (format.kind != OutputFormat::Kind::text && !schema)
        to.drop(client_name(to.from.from, ClientField::format));
    if (effort.empty() && !schema) return;
    to.out.key("output_config");
    to.out.begin_object();
    if (!effort.empty()) to.out.text_field("effort", effort);
    if (schema) {
        to.out.key("format");
        begin_block(to.out, "json_schema");
        to.out.raw_field("schema", format.schema);
        to.out.end_object();
    }
    to.out.end_object();
}

/// Thinking is refused together with a tool that must be called: the tool is what was asked for.
/// Returns whether the model thinks.
bool write_thinking(Writing& to) {
    const bool refused = thinks(to.from.thinking) && forces_a_tool(to.from);
    if (refused)
        to.drop(client_name(to.from.from, ClientField::thinking));
    else
        write_thinking_wish(to.out, to.from.thinking);
    write_output_config(to, !refused);
    return thinks(to.from.thinking) && !refused;
}

/// From 0 to 1, where others go to 2.
void write_temperature(Writing& to, RawJson temperature) {
    double value = 0;
    const std::string_view text = temperature.text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && value <= 1) return to.out.raw_field("temperature", temperature);
    to.out.number_field("temperature", 1);
}

/// A model that thinks takes none of these, and temperature and top_p exclude each other.
void write_sampling(Writing& to, bool thinking) {
    const SamplingWish& sampling = to.from.sampling;
    const bool cold = thinking || !sampling.temperature.empty();
    if (thinking)
        drop_number(to, "temperature", sampling.temperature);
    else if (!sampling.temperature.empty())
        write_temperature(to, sampling.temperature);
    if (cold)
        drop_number(to, "top_p", sampling.top_p);
    else
        write_number(to.out, "top_p", sampling.top_p);
    if (thinking)
        drop_number(to, "top_k", sampling.top_k);
    else
        write_number(to.out, "top_k", sampling.top_k);
    drop_number(to, "seed", sampling.seed);
    drop_number(to, "presence_penalty", sampling.presence_penalty);
    drop_number(to, "frequency_penalty", sampling.frequency_penalty);
}

/// Those that are blank are refused.
void write_stop(Writing& to) {
    std::vector<Escaped> stop = to.from.sampling.stop;
    if (to.from.sampling.logprobs) to.drop(client_name(to.from.from, ClientField::logprobs));
    drop_number(to, "top_logprobs", to.from.sampling.top_logprobs);
    if (std::erase_if(stop, is_blank) > 0) to.drop(client_name(to.from.from, ClientField::stop));
    if (stop.empty()) return;
    to.out.key("stop_sequences");
    to.out.begin_array();
    for (const Escaped text : stop)
        to.out.text(text);
    to.out.end_array();
}

// --- the rest --------------------------------------------------------------------------------

void write_service_tier(Writing& to) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kTiers{
        {{"auto", "auto"}, {"default", "standard_only"}, {"standard_only", "standard_only"}}};
    if (to.from.service_tier.empty()) return;
    const auto found = std::ranges::find(kTiers, to.from.service_tier.raw,
                                         &std::pair<std::string_view, std::string_view>::first);
    if (found == kTiers.end())
        to.drop("service_tier");
    else
        to.out.plain_field("service_tier", found->second);
}

void write_end_user(JsonOut& out, Escaped user) {
    if (user.empty()) return;
    out.key("metadata");
    out.begin_object();
    out.text_field("user_id", user);
    out.end_object();
}

int64_t max_tokens(const Conversation& from) {
    const int64_t thinking = from.thinking.budget_tokens.value_or(0);
    return from.sampling.max_output.value_or(kDefaultMaxTokens + thinking);
}

}  // namespace

Result<void> write_messages(Writing& to) {
    TRY(check_one_answer(to.from));
    to.out.number_field("max_tokens", max_tokens(to.from));
    TRY(write_messages_said(to));
    write_tools(to);
    const bool thinking = write_thinking(to);
    write_sampling(to, thinking);
    write_stop(to);
    write_service_tier(to);
    write_end_user(to.out, to.from.end_user);
    if (!to.from.prompt_cache_key.empty()) to.drop("prompt_cache_key");
    if (!to.from.verbosity.empty()) to.drop("verbosity");
    return {};
}

}  // namespace brigada
