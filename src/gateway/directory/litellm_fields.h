// LiteLLM's names for what a holder may use and is: read from bodies, shown in answers.
#pragma once

#include "gateway/directory/body_reader.h"
#include "gateway/directory/desk.h"
#include "gateway/directory/records.h"

namespace brigada {

void read_allowance(BodyReader& body, Allowance& allowance);

/// All of a holder but its id and alias. `aliases` is the field of the model aliases.
void read_holder(BodyReader& body, Holder& holder, std::string_view aliases = "aliases");

void show_allowance(Json& out, const Allowance& allowance);

void show_holder(Json& out, const Desk& desk, const Holder& holder, ScopeKind kind,
                 std::string_view aliases = "aliases");

/// The text, or null when it is empty.
Json text_or_null(std::string_view text);
Json time_or_null(const std::optional<WallTime>& time);

}  // namespace brigada
