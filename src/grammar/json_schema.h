// JSON Schema (draft 2020-12, and what older drafts wrote otherwise), read into a GrammarBuilder:
// the texts of the grammar are JSON that the schema accepts.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "grammar/grammar_builder.h"
#include "grammar/json_text.h"

namespace brigada {

/// Schemas within schemas and references followed; rules that one schema may take.
inline constexpr uint32_t kMaxSchemaDepth = 128;
inline constexpr size_t kMaxSchemaRules = 20'000;

/// Characters that minLength and maxLength may count, and items and properties.
inline constexpr uint64_t kMaxCountedCharacters = 8192;
inline constexpr uint64_t kMaxCountedMembers = 4096;

/// The piece for the values of `schema`, which must live until it returns. Properties come in the
/// order of the schema. What is open by the schema's silence stays closed: no properties beyond
/// those listed unless additionalProperties says so, no items beyond prefixItems unless items does,
/// and no type but those that a schema's keywords speak of.
///
/// Errors name the place and the keyword: "/properties/a/not: ..."; ::unsupported where a keyword
/// cannot be honoured, ::invalid_argument where it is none, ::too_large. Keywords that are not JSON
/// Schema's, and those that only describe, are passed over.
Result<Expr> read_json_schema(JsonText& json, const Json& schema);

}  // namespace brigada
