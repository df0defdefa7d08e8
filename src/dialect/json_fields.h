// What the readers of requests ask of a JSON value, and what is said of a wrong one: where it
// stands, what it is and what would have worked.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "dialect/conversation.h"
#include "dialect/json_tree.h"

namespace brigada {

/// Error::invalid_argument: "<path>: must be <expected>; got <value>".
Error wrong(JsonNode got, std::string_view expected);
/// Error::invalid_argument: "<path of name>: must be <expected>; it is missing".
Error missing(JsonNode object, std::string_view name, std::string_view expected);
/// Error::unsupported: "<path>: <why>; got <value>".
Error untranslatable(JsonNode got, std::string_view why);

Result<Escaped> text_of(JsonNode value);
Result<bool> boolean_of(JsonNode value);
Result<RawJson> number_of(JsonNode value);
Result<RawJson> object_of(JsonNode value);
/// A whole number of at least `low`, below 2^53; 3.0 counts as 3.
Result<int64_t> integer_of(JsonNode value, int64_t low);
/// Checks that it is one and returns it, to be walked.
Result<JsonNode> array_of(JsonNode value);

/// The field of an object. Nothing where it is absent or null.
Result<Escaped> optional_text(JsonNode object, std::string_view name);
Result<RawJson> optional_object(JsonNode object, std::string_view name);
Result<std::optional<bool>> optional_boolean(JsonNode object, std::string_view name);
/// Errors where it is absent; needed_name also where it is empty.
Result<Escaped> needed_text(JsonNode object, std::string_view name);
Result<Escaped> needed_name(JsonNode object, std::string_view name);
Result<JsonNode> needed(JsonNode object, std::string_view name, std::string_view expected);

/// What to do with one field of the body.
struct FieldRule {
    std::string_view name;
    Result<void> (*read)(JsonNode value, Conversation& to);
};

/// Every field of the body by its rule; nulls are passed over, and what has no rule is noted as
/// unknown. A field that stands twice is an error: others would read the other one.
Result<void> read_fields(JsonNode body, std::span<const FieldRule> rules, Conversation& to);

/// A rule for what is read by another field's rule, or says nothing.
Result<void> pass_over(JsonNode value, Conversation& to);

/// Notes what can't be translated: each name once, escaped, cut after 64 bytes, and 64 of them.
void note_unknown(Conversation& to, std::string_view name);

}  // namespace brigada
