// SchemaPart: one schema among those that a value must satisfy together, with the place where it
// stands and which of its keywords are dealt with. `$ref` and `allOf` add parts, a branch of
// `anyOf` adds one: so schemas never have to be merged as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/result.h"

namespace brigada {

struct SchemaPart {
    /// Keywords that are dealt with.
    enum Spent : uint8_t { kRef = 1, kAllOf = 2, kAnyOf = 4, kOneOf = 8, kValues = 16 };

    const Json* schema = nullptr;
    std::string pointer;  // from the root of the document
    uint8_t spent = 0;

    /// null where the keyword is not there, or spent.
    const Json* find(std::string_view keyword) const;
    bool has(std::string_view keyword) const { return find(keyword) != nullptr; }

    /// What stands below it, by the steps of a JSON pointer.
    SchemaPart below(std::string_view keyword) const;
    SchemaPart below(std::string_view keyword, std::string_view key) const;
    SchemaPart below(std::string_view keyword, size_t index) const;

    /// "<pointer>/<keyword>: <what>".
    Error error(Code code, std::string_view keyword, std::string_view what) const;
    /// An error from elsewhere that `keyword` is to blame for.
    Error error(std::string_view keyword, Error inner) const;

    // Keywords with a value of one kind; errors say which kind it must be.
    Result<std::optional<uint64_t>> count(std::string_view keyword) const;
    Result<const Json*> object(std::string_view keyword) const;
    Result<const Json*> list(std::string_view keyword) const;

    /// Whether every value satisfies it: nothing in it but words and what is spent.
    bool is_true() const;
    bool is_false() const { return schema->is_boolean() && !schema->get<bool>(); }
    /// Whether it says nothing but, maybe, a type.
    bool only_type() const;

    /// Error when it is no schema, or has a keyword that cannot be honoured.
    Result<void> check() const;
};

/// All of which a value must satisfy; none: any value.
using SchemaParts = std::vector<SchemaPart>;

/// Whether one of them lists the values there are.
bool has_values(const SchemaParts& parts);

/// What `reference` in `from` points at within the document.
Result<SchemaPart> follow_reference(const Json& document, const SchemaPart& from,
                                    std::string_view reference);

/// Adds what $ref and allOf bring, and drops what is true.
Result<void> expand(const Json& document, SchemaParts& parts);

}  // namespace brigada
