#include "dialect/without_prompt.h"

namespace brigada {

namespace {

/// Copies what views refer to.
class Keeper {
  public:
    explicit Keeper(Conversation& to) : to_(to) {}

    Escaped operator()(Escaped text) { return {keep(text.raw)}; }
    RawJson operator()(RawJson value) { return {keep(value.text)}; }

  private:
    std::string_view keep(std::string_view text) {
        return text.empty() ? text : std::string_view(to_.made.emplace_back(text));
    }

    Conversation& to_;
};

}  // namespace

Conversation without_prompt(const Conversation& asked) {
    Conversation out;
    Keeper keep(out);
    out.from = asked.from;
    out.model = asked.model;
    for (const Tool& tool : asked.tools)
        out.tools.push_back(
            {.name = keep(tool.name), .space = keep(tool.space), .custom = tool.custom});
    out.tool_choice = asked.tool_choice;
    out.tool_choice.name = keep(asked.tool_choice.name);
    out.sampling = {.temperature = keep(asked.sampling.temperature),
                    .top_p = keep(asked.sampling.top_p),
                    .max_output = asked.sampling.max_output,
                    .choices = asked.sampling.choices};
    out.thinking = asked.thinking;
    out.thinking.effort = keep(asked.thinking.effort);
    out.stream = asked.stream;
    out.include_usage = asked.include_usage;
    out.store = asked.store;
    out.previous_response_id = keep(asked.previous_response_id);
    return out;
}

}  // namespace brigada
