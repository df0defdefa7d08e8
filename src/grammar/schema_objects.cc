// Objects: the properties in the order of the schema, then those known by a pattern of their name,
// then any others; each once but for those known by nothing.
#include <algorithm>
#include <map>
#include <set>

#include "base/concat.h"
#include "grammar/regex_syntax.h"
#include "grammar/schema_reader.h"

namespace brigada {

namespace {

Result<std::vector<std::string>> required_names(const SchemaPart& part) {
    std::vector<std::string> out;
    TRY(const Json* names, part.list("required"));
    if (!names) return out;
    for (const Json& name : *names) {
        if (!name.is_string())
            return part.error(Code::invalid_argument, "required", "must be a list of strings");
        out.push_back(name.get<std::string>());
    }
    return out;
}

/// unevaluatedProperties is additionalProperties where no other schema at the same place could have
/// named properties.
Result<void> check_unevaluated(const SchemaParts& parts) {
    for (const SchemaPart& part : parts) {
        if (!part.has("unevaluatedProperties")) continue;
        if (parts.size() > 1 || part.has("additionalProperties"))
            return part.error(Code::unsupported, "unevaluatedProperties",
                              "is understood in schemas without $ref, allOf, anyOf, oneOf and "
                              "additionalProperties; use additionalProperties");
    }
    return {};
}

const char* additional_keyword(const SchemaPart& part) {
    return part.has("unevaluatedProperties") ? "unevaluatedProperties" : "additionalProperties";
}

}  // namespace

const SchemaProperty* ObjectShape::find(std::string_view key) const {
    const auto found = std::find_if(properties.begin(), properties.end(),
                                    [&](const SchemaProperty& p) { return p.key == key; });
    return found == properties.end() ? nullptr : &*found;
}

Result<Expr> SchemaReader::read_object(const SchemaParts& parts) {
    TRY(const ObjectShape shape, object_shape(parts));
    if (shape.properties.empty() && shape.open && shape.additional.empty() && shape.least == 0 &&
        !shape.most && std::none_of(parts.begin(), parts.end(), [](const SchemaPart& part) {
            return part.has("patternProperties") || part.has("propertyNames");
        }))
        return json_.any_object();
    TRY(const std::vector<ExtraMembers> extra, extra_members(parts, shape));
    const auto required = static_cast<uint64_t>(
        std::count_if(shape.properties.begin(), shape.properties.end(),
                      [](const SchemaProperty& property) { return property.required; }));
    // Names that are not listed may come twice, which a reader counts once.
    if (!extra.empty() && shape.least > required + 1)
        return parts.front().error(
            Code::unsupported, "minProperties",
            concat("is counted up to one more than the required properties (", required + 1,
                   ") where names are free; got ", shape.least));
    return write_object(shape, extra);
}

Result<ObjectShape> SchemaReader::object_shape(const SchemaParts& parts) {
    ObjectShape out;
    TRY(check_unevaluated(parts));
    std::set<std::string> required;
    bool lists = false, declares = false;
    const auto add = [&](const std::string& key) -> Result<void> {
        if (out.find(key)) return {};
        TRY(SchemaParts value, property_value(parts, key));
        out.properties.push_back({key, std::move(value)});
        return {};
    };
    for (const SchemaPart& part : parts) {
        TRY(const Json* properties, part.object("properties"));
        lists = lists || properties || part.has("patternProperties");
        if (properties)
            for (const auto& [key, value] : properties->items())
                TRY(add(key));
    }
    for (const SchemaPart& part : parts) {
        TRY(const std::vector<std::string> names, required_names(part));
        for (const std::string& key : names)
            TRY(add(key));
        required.insert(names.begin(), names.end());
        if (const char* keyword = additional_keyword(part); part.has(keyword)) {
            declares = true;
            out.additional.push_back(part.below(keyword));
        }
        TRY(const auto least, part.count("minProperties"));
        TRY(const auto most, part.count("maxProperties"));
        out.least = std::max(out.least, least.value_or(0));
        if (most) out.most = std::min(out.most.value_or(*most), *most);
    }
    for (SchemaProperty& property : out.properties)
        property.required = required.contains(property.key);
    out.open = declares || !lists;
    TRY(expand(document_, out.additional));
    for (const SchemaPart& additional : out.additional)
        out.open = out.open && !additional.is_false();
    return out;
}

/// What each part says of one property: by its name, else by a pattern, else by what is said of all
/// others.
Result<SchemaParts> SchemaReader::property_value(const SchemaParts& parts, const std::string& key) {
    SchemaParts out;
    for (const SchemaPart& part : parts) {
        TRY(const Json* properties, part.object("properties"));
        bool said = properties && properties->contains(key);
        if (said) out.push_back(part.below("properties", key));
        TRY(const Json* patterns, part.object("patternProperties"));
        if (patterns) {
            for (const auto& [pattern, value] : patterns->items()) {
                TRY(const bool matches, matches_pattern(part, pattern, key));
                if (matches) out.push_back(part.below("patternProperties", pattern));
                said = said || matches;
            }
        }
        if (!said && part.has(additional_keyword(part)))
            out.push_back(part.below(additional_keyword(part)));
        if (part.has("propertyNames")) {
            TRY(const CodePointDfa names, names_of(part));
            if (!names.accepts(key)) out.push_back({&false_, part.pointer});
        }
    }
    return out;
}

Result<CodePointDfa> SchemaReader::pattern_dfa(const SchemaPart& part, const std::string& pattern) {
    if (const auto known = patterns_.find(pattern); known != patterns_.end()) return known->second;
    auto language = read_regex(b_, pattern, RegexMatch::within);
    if (!language.ok()) return part.error("patternProperties", std::move(language).error());
    auto dfa = CodePointDfa::from(b_, *language);
    if (!dfa.ok()) return part.error("patternProperties", std::move(dfa).error());
    return patterns_.emplace(pattern, *std::move(dfa)).first->second;
}

Result<bool> SchemaReader::matches_pattern(const SchemaPart& part, const std::string& pattern,
                                           const std::string& key) {
    TRY(const CodePointDfa dfa, pattern_dfa(part, pattern));
    return dfa.accepts(key);
}

/// The names that propertyNames allows.
Result<CodePointDfa> SchemaReader::names_of(const SchemaPart& part) {
    SchemaParts names = {part.below("propertyNames")};
    TRY(expand(document_, names));
    for (const SchemaPart& name : names)
        if (name.is_false() || name.has("anyOf") || name.has("oneOf"))
            return part.error(Code::unsupported, "propertyNames",
                              "is understood with pattern, format, lengths, enum and const");
    TRY(CodePointDfa out, string_contents(names));
    if (std::none_of(names.begin(), names.end(),
                     [](const SchemaPart& name) { return name.has("enum") || name.has("const"); }))
        return out;
    TRY(const std::vector<Json> values, common_values(names));
    std::vector<Expr> literals;
    for (const Json& value : values)
        if (value.is_string()) literals.push_back(b_.literal(value.get<std::string>()));
    TRY(const CodePointDfa listed, CodePointDfa::from(b_, b_.either(std::move(literals))));
    return CodePointDfa::both(out, listed);
}

/// The names that are allowed and not listed; nullopt: all.
Result<std::optional<CodePointDfa>> SchemaReader::free_names(const SchemaParts& parts,
                                                             const ObjectShape& shape) {
    std::optional<CodePointDfa> out;
    for (const SchemaPart& part : parts) {
        if (!part.has("propertyNames")) continue;
        TRY(CodePointDfa names, names_of(part));
        if (out) {
            TRY(names, CodePointDfa::both(*out, names));
        }
        out = std::move(names);
    }
    if (shape.properties.empty()) return out;
    if (!out) {
        TRY(out, string_contents({}));
    }
    std::vector<Expr> listed;
    for (const SchemaProperty& property : shape.properties)
        listed.push_back(b_.literal(property.key));
    TRY(const CodePointDfa names, CodePointDfa::from(b_, b_.either(std::move(listed))));
    TRY(out, CodePointDfa::without(*out, names));
    return out;
}

/// Members whose names are not listed: by pattern, then by nothing.
Result<std::vector<SchemaReader::ExtraMembers>> SchemaReader::extra_members(
    const SchemaParts& parts, const ObjectShape& shape) {
    std::vector<ExtraMembers> out;
    std::map<std::string, SchemaParts> patterns;
    for (const SchemaPart& part : parts) {
        TRY(const Json* own, part.object("patternProperties"));
        if (!own) continue;
        for (const auto& [pattern, value] : own->items())
            patterns[pattern].push_back(part.below("patternProperties", pattern));
    }
    if (patterns.empty() && !shape.open) return out;
    TRY(const std::optional<CodePointDfa> restriction, free_names(parts, shape));
    if (patterns.empty() && !restriction) {
        TRY(const Expr value, read(shape.additional));
        out.push_back({json_.any_string(), value});
        return out;
    }
    TRY(const CodePointDfa every, string_contents({}));
    const CodePointDfa& free = restriction ? *restriction : every;
    CodePointDfa beyond_patterns = free;
    for (auto& [pattern, value] : patterns) {
        const SchemaPart owner = value.front();
        TRY(const CodePointDfa dfa, pattern_dfa(owner, pattern));
        TRY(const CodePointDfa names, CodePointDfa::both(free, dfa));
        TRY(const CodePointDfa unshared, CodePointDfa::both(names, beyond_patterns));
        TRY(const CodePointDfa shared, CodePointDfa::without(names, unshared));
        if (!shared.empty())
            return Error{Code::unsupported,
                         concat(owner.pointer, ": a name may match another of the patterns, too")};
        for (const SchemaPart& part : parts) {
            const Json* own = part.find("patternProperties");
            if (!(own && own->contains(pattern)) && part.has(additional_keyword(part)))
                value.push_back(part.below(additional_keyword(part)));
        }
        TRY(const Expr expr, read(value));
        out.push_back({json_.string_of(names.to_expr(b_)), expr});
        TRY(beyond_patterns, CodePointDfa::without(beyond_patterns, dfa));
    }
    if (!shape.open) return out;
    TRY(const Expr value, read(shape.additional));
    out.push_back({json_.string_of(beyond_patterns.to_expr(b_)), value});
    return out;
}

Result<Expr> SchemaReader::write_object(const ObjectShape& shape,
                                        const std::vector<ExtraMembers>& extra) {
    std::vector<Expr> members, others;
    for (const SchemaProperty& property : shape.properties) {
        TRY(const Expr value, read(property.value));
        members.push_back(json_.member(json_.string_literal(property.key), value));
    }
    for (const ExtraMembers& one : extra)
        others.push_back(json_.member(one.key, one.value));
    TRY(MemberRow row, row_of(shape, members, others, json_.comma()));
    return json_.enclosed('{', std::move(row.graph), '}', row.may_be_empty);
}

/// A state for each property that may come next, before and behind the separator, and for how many
/// are written where that is counted.
Result<SchemaReader::MemberRow> SchemaReader::row_of(const ObjectShape& shape,
                                                     const std::vector<Expr>& members,
                                                     const std::vector<Expr>& others,
                                                     Expr separator) {
    const size_t n = shape.properties.size();
    std::optional<uint64_t> most = shape.most;
    if (most && others.empty() && *most >= n) most.reset();
    if (most && *most < shape.least) return MemberRow{};
    const uint64_t counted = most.value_or(shape.least);
    if (counted > kMaxCountedMembers || counted * (n + 1) > kMaxGrammarStates / 8)
        return Error{Code::too_large, concat("/maxProperties: ", counted, " are not counted")};
    const auto before = [&](size_t property, uint64_t written) {
        return static_cast<uint32_t>(2 * (property * (counted + 1) + written));
    };
    const auto behind = [&](size_t property, uint64_t written) {
        return before(property, written) + 1;
    };
    size_t last_required = 0;  // one more than its position
    for (size_t i = 0; i < n; ++i)
        if (shape.properties[i].required) last_required = i + 1;

    ExprGraph graph{.states = before(n, counted) + 2};
    const auto add_member = [&](size_t at, Expr member, size_t to) {
        for (uint64_t written = 0; written <= counted; ++written)
            if (!most || written < counted)
                graph.edges.push_back(
                    {before(at, written), member, behind(to, std::min(written + 1, counted))});
    };
    for (size_t i = 0; i < n; ++i) {
        add_member(i, members[i], i + 1);
        for (uint64_t written = 0; !shape.properties[i].required && written <= counted; ++written)
            graph.edges.push_back({before(i, written), b_.empty(), before(i + 1, written)});
    }
    for (const Expr other : others)
        add_member(n, other, n);
    for (size_t i = 0; i <= n; ++i) {
        for (uint64_t written = 0; written <= counted; ++written) {
            graph.edges.push_back({behind(i, written), separator, before(i, written)});
            if (i >= last_required && written >= shape.least)
                graph.ends.push_back(behind(i, written));
        }
    }
    return MemberRow{std::move(graph), last_required == 0 && shape.least == 0};
}

}  // namespace brigada
