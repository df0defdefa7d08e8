// Usage in the words of each dialect. OpenAI's count the whole prompt and tell its cached part
// beside it; Anthropic's three parts exclude each other, as ours do.
#pragma once

#include <string>

#include "dialect/answer_event.h"
#include "dialect/dialect.h"
#include "dialect/json_slices.h"

namespace brigada {

/// Takes over what `usage` says; what it does not say stays. Anthropic's streams tell the prompt
/// first and the output at the end, and some engines repeat only one of them.
void merge_usage(SliceObject usage, Dialect from, UsageTold& into);

/// The object, with its braces. Anthropic's has no total.
void append_usage(std::string& out, const UsageTold& told, Dialect to);

}  // namespace brigada
