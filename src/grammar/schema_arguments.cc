// Schemas for arguments that are written in another way than as one JSON object: their members in a
// row, and strings as they are, as they stand between tags.
#include <algorithm>

#include "base/concat.h"
#include "grammar/regex_syntax.h"
#include "grammar/schema_reader.h"
#include "toolcall/unread.h"

namespace brigada {

namespace {

bool none_accepts(const SchemaParts& parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [](const auto& part) { return part.is_false(); });
}

}  // namespace

Result<bool> SchemaReader::is_anything(SchemaParts parts) {
    TRY(expand(document_, parts));
    return parts.empty();
}

Result<Expr> SchemaReader::read_but_strings(SchemaParts parts) {
    parts.push_back({&but_strings(), parts.empty() ? "" : parts.front().pointer});
    return read(std::move(parts));
}

// --- strings as they are ------------------------------------------------------------------------

Result<Expr> SchemaReader::read_text(SchemaParts parts) {
    TRY(expand(document_, parts));
    if (none_accepts(parts)) return b_.never();
    return deeper(parts, [this](SchemaParts own) { return text_body(own); });
}

Result<Expr> SchemaReader::text_body(const SchemaParts& parts) {
    if (const auto at = branching(parts))
        return read_branches(parts, *at,
                             [this](SchemaParts branch) { return read_text(std::move(branch)); });
    if (has_values(parts)) {
        TRY(const std::vector<Json> values, accepted_values(parts));
        std::vector<Expr> out;
        for (const Json& value : values)
            if (value.is_string()) out.push_back(b_.literal(value.get_ref<const std::string&>()));
        return b_.either(std::move(out));
    }
    TRY(const uint8_t types, written_types(parts));
    if (!(types & kString)) return b_.never();
    const bool is_free = std::none_of(parts.begin(), parts.end(), [](const SchemaPart& part) {
        return part.has("pattern") || part.has("format") || part.has("minLength") ||
               part.has("maxLength");
    });
    if (!is_free) {
        TRY(const CodePointDfa contents, string_contents(parts));
        return contents.to_expr(b_);
    }
    return json_.any_text();
}

// --- members in a row ---------------------------------------------------------------------------

Result<Expr> SchemaReader::read_members(SchemaParts parts, MemberPen& pen) {
    TRY(expand(document_, parts));
    if (none_accepts(parts)) return b_.never();
    return deeper(parts, [&](SchemaParts own) { return members_body(own, pen); });
}

Result<Expr> SchemaReader::members_body(const SchemaParts& parts, MemberPen& pen) {
    if (const auto at = branching(parts))
        return read_branches(
            parts, *at, [&](SchemaParts branch) { return read_members(std::move(branch), pen); });
    if (has_values(parts))
        return parts.front().error(Code::unsupported, "enum",
                                   "arguments as a whole can't be listed in this way of calling");
    for (const SchemaPart& part : parts)
        if (part.has("patternProperties"))
            return part.error(Code::unsupported, "patternProperties",
                              "can't be honoured in this way of calling");
    TRY(const uint8_t types, written_types(parts));
    if (!(types & kObject)) return b_.never();
    TRY(const ObjectShape shape, object_shape(parts));
    std::vector<Expr> members, others;
    for (const SchemaProperty& property : shape.properties) {
        if (!is_name(property.key))
            return Error{Code::unsupported, concat("/properties: \"", property.key,
                                                   "\" can't be written in this way of calling")};
        TRY(const Expr member,
            pen.member(*this, &property.key, b_.literal(property.key), property.value));
        members.push_back(member);
    }
    if (shape.open) {
        TRY(const Expr names, other_names(parts, shape));
        TRY(const Expr member, pen.member(*this, nullptr, names, shape.additional));
        others.push_back(member);
    }
    TRY(MemberRow row, row_of(shape, members, others, pen.separator()));
    const Expr out = b_.graph(std::move(row.graph));
    return row.may_be_empty ? b_.optional(out) : out;
}

/// Names that are not listed, as calls can write them.
Result<Expr> SchemaReader::other_names(const SchemaParts& parts, const ObjectShape& shape) {
    TRY(const Expr words, read_regex(b_, "[A-Za-z_][A-Za-z0-9_.-]{0,63}", RegexMatch::whole));
    TRY(CodePointDfa names, CodePointDfa::from(b_, words));
    TRY(const std::optional<CodePointDfa> free, free_names(parts, shape));
    if (free) {
        TRY(names, CodePointDfa::both(names, *free));
    }
    return names.to_expr(b_);
}

}  // namespace brigada
