// SchemaReader: the work behind read_json_schema. What a value must satisfy is a list of parts; the
// reader chooses branches, then values, then types, and writes each type by what all parts say of
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "grammar/code_point_dfa.h"
#include "grammar/grammar_builder.h"
#include "grammar/json_schema.h"
#include "grammar/json_text.h"
#include "grammar/regex_syntax.h"
#include "grammar/schema_part.h"

namespace brigada {

/// Types of values; a number is an integer or has a fraction.
enum JsonTypes : uint8_t {
    kNull = 1,
    kBoolean = 2,
    kInteger = 4,
    kFraction = 8,
    kString = 16,
    kArray = 32,
    kObject = 64,
    kAnyType = 127,
};

/// One property by its name, and what its value must satisfy.
struct SchemaProperty {
    std::string key;
    SchemaParts value;
    bool required = false;
};

/// What the parts say of an object together.
struct ObjectShape {
    std::vector<SchemaProperty> properties;  // in the order in which they are written
    bool open = false;                       // for names that are not among them
    SchemaParts additional;                  // what the values of those must satisfy
    uint64_t least = 0;
    std::optional<uint64_t> most{};

    const SchemaProperty* find(std::string_view key) const;
};

class SchemaReader;

/// How the members of an object are written that is no JSON: the arguments of a call.
class MemberPen {
  public:
    virtual ~MemberPen() = default;

    /// One named `key`, or by any name of `names` where that is null.
    virtual Result<Expr> member(SchemaReader& reader, const std::string* key, Expr names,
                                const SchemaParts& value) = 0;
    /// What stands between two.
    virtual Expr separator() = 0;
};

class SchemaReader {
  public:
    SchemaReader(JsonText& json, const Json& document)
        : json_(json), b_(json.builder()), document_(document) {}

    /// The values that satisfy all parts.
    Result<Expr> read(SchemaParts parts);
    /// Those of them that are no strings.
    Result<Expr> read_but_strings(SchemaParts parts);
    /// The strings among them as they are, without quotation marks or escapes: a piece without
    /// calls.
    Result<Expr> read_text(SchemaParts parts);
    /// The objects among them, in another way of writing: members in a row, without brackets.
    Result<Expr> read_members(SchemaParts parts, MemberPen& pen);

    /// Whether any value satisfies them.
    Result<bool> is_anything(SchemaParts parts);

  private:
    // schema_reader.cc
    using ReadParts = std::function<Result<Expr>(SchemaParts)>;
    struct Branching {  // the first part with branches
        size_t part = 0;
        std::string_view keyword{};
        SchemaPart::Spent spent{};
    };
    static std::optional<Branching> branching(const SchemaParts& parts);
    Result<Expr> read_body(const SchemaParts& parts);
    Result<Expr> read_branches(const SchemaParts& parts, const Branching& at,
                               const ReadParts& read_one);
    Result<Expr> deeper(const SchemaParts& parts, const ReadParts& read_one);
    Result<Expr> read_values(SchemaParts parts);
    Result<std::vector<Json>> accepted_values(SchemaParts parts);
    Result<std::vector<Json>> common_values(const SchemaParts& parts) const;
    Result<void> keep_accepted(SchemaParts rest, std::vector<Json>& values);
    Result<Expr> read_types(const SchemaParts& parts);
    Result<Expr> read_number(const SchemaParts& parts, bool integer);

    // schema_types.cc
    static Result<std::optional<uint8_t>> declared_types(const SchemaParts& parts);
    static Result<uint8_t> written_types(SchemaParts parts);
    static const Json& but_strings();  // beside other parts: values of every type but one

    // schema_strings.cc
    Result<Expr> read_string(const SchemaParts& parts);
    Expr shared_string(Expr language);
    Result<std::vector<Expr>> string_languages(const SchemaParts& parts);
    Result<CodePointDfa> string_contents(const SchemaParts& parts);

    // schema_arrays.cc
    Result<Expr> read_array(const SchemaParts& parts);

    // schema_objects.cc
    struct ExtraMembers {  // properties known by a pattern of their name, or by nothing
        Expr key;
        Expr value;
    };
    Result<Expr> read_object(const SchemaParts& parts);
    Result<ObjectShape> object_shape(const SchemaParts& parts);
    Result<SchemaParts> property_value(const SchemaParts& parts, const std::string& key);
    Result<bool> matches_pattern(const SchemaPart& part, const std::string& pattern,
                                 const std::string& key);
    Result<CodePointDfa> pattern_dfa(const SchemaPart& part, const std::string& pattern);
    Result<std::vector<ExtraMembers>> extra_members(const SchemaParts& parts,
                                                    const ObjectShape& shape);
    Result<std::optional<CodePointDfa>> free_names(const SchemaParts& parts,
                                                   const ObjectShape& shape);
    Result<CodePointDfa> names_of(const SchemaPart& part);
    Result<Expr> write_object(const ObjectShape& shape, const std::vector<ExtraMembers>& extra);
    struct MemberRow {
        ExprGraph graph{};
        bool may_be_empty = false;
    };
    Result<MemberRow> row_of(const ObjectShape& shape, const std::vector<Expr>& members,
                             const std::vector<Expr>& others, Expr separator);

    // schema_arguments.cc
    Result<Expr> text_body(const SchemaParts& parts);
    Result<Expr> members_body(const SchemaParts& parts, MemberPen& pen);
    Result<Expr> other_names(const SchemaParts& parts, const ObjectShape& shape);

    // schema_overlap.cc
    Result<void> check_apart(const std::vector<SchemaParts>& branches, const SchemaPart& part);
    Result<bool> never_satisfies(SchemaParts made, SchemaParts other, uint32_t depth);
    Result<bool> object_never_satisfies(const SchemaParts& made, const SchemaParts& other,
                                        uint32_t depth);

    JsonText& json_;
    GrammarBuilder& b_;
    const Json& document_;
    const Json false_ = false;
    const Json scalars_ = {{"type", {"null", "boolean", "number", "string"}}};
    std::map<std::vector<std::pair<const Json*, uint8_t>>, Rule> rules_;
    std::map<std::pair<std::string, RegexMatch>, Expr> languages_;  // of patterns and formats
    std::map<Expr, Rule> strings_;                                  // by their language
    std::map<std::string, CodePointDfa> patterns_;                  // of patternProperties
    uint32_t depth_ = 0;
};

}  // namespace brigada
