// AppendLaw: when a template renders a longer conversation as it rendered the shorter one, with
// what is new behind it. A template is a program, so this is found by trying: conversations of all
// kinds are rendered and tokenised whole and in parts, and one that does not add up ends the
// matter.
#pragma once

#include "gateway/count/prompt_model.h"

namespace brigada {

/// Whether tokens(before + more) == tokens(before) + tokens(shape + more) - tokens(shape), where
/// `shape` is shape_of(before) and `more` continues(). Messages that hold a text which the template
/// looks for are left to be counted whole.
struct AppendLaw {
    // Where `before` ends with a user's message, or with a tool's; and where `more` only calls
    // tools, or ends a turn: then templates take back what was thought in it.
    bool calls_after_user = false;
    bool turns_after_user = false;
    bool calls_after_tool = false;
    bool turns_after_tool = false;

    bool allows(bool before_ends_with_user, bool more_ends_turn) const {
        if (before_ends_with_user) return more_ends_turn ? turns_after_user : calls_after_user;
        return more_ends_turn ? turns_after_tool : calls_after_tool;
    }
    friend bool operator==(const AppendLaw&, const AppendLaw&) = default;
};

/// Some hundred short renderings: tens of milliseconds. `model` has a template.
AppendLaw find_append_law(const PromptModel& model);

}  // namespace brigada
