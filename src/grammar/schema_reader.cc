#include "grammar/schema_reader.h"

#include <algorithm>

#include "base/concat.h"
#include "grammar/json_numbers.h"
#include "grammar/recogniser.h"

namespace brigada {

namespace {

/// The type of a value; 1.0 is an integer.
uint8_t type_of(const Json& value) {
    switch (value.type()) {
        case Json::value_t::null:
            return kNull;
        case Json::value_t::boolean:
            return kBoolean;
        case Json::value_t::number_integer:
        case Json::value_t::number_unsigned:
            return kInteger;
        case Json::value_t::number_float: {
            const double number = value.get<double>();
            return number == static_cast<double>(static_cast<int64_t>(number)) ? kInteger
                                                                               : kFraction;
        }
        case Json::value_t::string:
            return kString;
        case Json::value_t::array:
            return kArray;
        default:
            return kObject;
    }
}

std::string where(const SchemaParts& parts) {
    return parts.empty() || parts.front().pointer.empty() ? "/" : parts.front().pointer;
}

}  // namespace

Result<Expr> read_json_schema(JsonText& json, const Json& schema) {
    return SchemaReader(json, schema).read({SchemaPart{&schema, ""}});
}

Result<Expr> SchemaReader::read(SchemaParts parts) {
    TRY(expand(document_, parts));
    if (parts.empty()) return json_.any_value();
    if (std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.is_false(); }))
        return b_.never();
    std::vector<std::pair<const Json*, uint8_t>> key;
    for (const SchemaPart& part : parts)
        key.emplace_back(part.schema, part.spent);
    if (const auto known = rules_.find(key); known != rules_.end()) return b_.call(known->second);
    if (rules_.size() == kMaxSchemaRules)
        return Error{Code::too_large, concat(where(parts), ": the schema has more than ",
                                             kMaxSchemaRules, " combinations of its parts")};
    const Rule rule = b_.declare(where(parts));
    rules_.emplace(std::move(key), rule);
    TRY(const Expr body, deeper(parts, [this](SchemaParts own) { return read_body(own); }));
    b_.define(rule, body);
    return b_.call(rule);
}

Result<Expr> SchemaReader::deeper(const SchemaParts& parts, const ReadParts& read_one) {
    if (depth_ == kMaxSchemaDepth)
        return Error{Code::too_large,
                     concat(where(parts), ": nested deeper than ", kMaxSchemaDepth)};
    ++depth_;
    auto out = read_one(parts);
    --depth_;
    return out;
}

Result<Expr> SchemaReader::read_body(const SchemaParts& parts) {
    if (const auto at = branching(parts))
        return read_branches(parts, *at,
                             [this](SchemaParts branch) { return read(std::move(branch)); });
    if (has_values(parts)) return read_values(parts);
    return read_types(parts);
}

std::optional<SchemaReader::Branching> SchemaReader::branching(const SchemaParts& parts) {
    for (size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].has("anyOf")) return Branching{i, "anyOf", SchemaPart::kAnyOf};
        if (parts[i].has("oneOf")) return Branching{i, "oneOf", SchemaPart::kOneOf};
    }
    return std::nullopt;
}

/// Everything else together with each branch.
Result<Expr> SchemaReader::read_branches(const SchemaParts& parts, const Branching& at,
                                         const ReadParts& read_one) {
    const auto& [part, keyword, spent] = at;
    TRY(const Json* list, parts[part].list(keyword));
    if (list->empty())
        return parts[part].error(Code::invalid_argument, keyword, "must have at least one branch");
    std::vector<SchemaParts> branches(list->size(), parts);
    for (size_t i = 0; i < branches.size(); ++i) {
        branches[i][part].spent |= spent;
        branches[i].push_back(parts[part].below(keyword, i));
    }
    if (spent == SchemaPart::kOneOf) TRY(check_apart(branches, parts[part]));
    std::vector<Expr> out;
    for (SchemaParts& branch : branches) {
        TRY(const Expr expr, read_one(std::move(branch)));
        out.push_back(expr);
    }
    return b_.either(std::move(out));
}

// --- values -------------------------------------------------------------------------------------

Result<Expr> SchemaReader::read_values(SchemaParts parts) {
    TRY(const std::vector<Json> values, accepted_values(std::move(parts)));
    std::vector<Expr> out;
    for (const Json& value : values)
        out.push_back(json_.literal(value));
    return b_.either(std::move(out));
}

/// Those in every enum and const that all else accepts.
Result<std::vector<Json>> SchemaReader::accepted_values(SchemaParts parts) {
    TRY(std::vector<Json> values, common_values(parts));
    for (SchemaPart& part : parts)
        part.spent |= SchemaPart::kValues;
    TRY(const auto types, declared_types(parts));
    if (types)
        std::erase_if(values, [&](const Json& value) { return (type_of(value) & *types) == 0; });
    const bool only_types = std::all_of(parts.begin(), parts.end(),
                                        [](const SchemaPart& part) { return part.only_type(); });
    if (!only_types) TRY(keep_accepted(parts, values));
    return values;
}

/// Those in every enum and const.
Result<std::vector<Json>> SchemaReader::common_values(const SchemaParts& parts) const {
    std::optional<std::vector<Json>> out;
    const auto keep = [&](const std::vector<Json>& values) {
        if (!out) {
            out = values;
            return;
        }
        std::erase_if(*out, [&](const Json& value) {
            return std::find(values.begin(), values.end(), value) == values.end();
        });
    };
    for (const SchemaPart& part : parts) {
        if (const Json* value = part.find("const")) keep({*value});
        TRY(const Json* values, part.list("enum"));
        if (!values) continue;
        if (values->empty())
            return part.error(Code::invalid_argument, "enum", "must have at least one value");
        keep({values->begin(), values->end()});
    }
    return *std::move(out);
}

/// Those that the other keywords accept, asked of the grammar that they make.
Result<void> SchemaReader::keep_accepted(SchemaParts rest, std::vector<Json>& values) {
    for (const Json& value : values)
        if (value.is_structured())
            return rest.front().error(Code::unsupported, "enum",
                                      "objects and arrays as values are not understood beside "
                                      "keywords other than type");
    rest.push_back({&scalars_, rest.front().pointer});
    TRY(const Expr expr, read(std::move(rest)));
    auto built = b_.build(expr);
    if (!built.ok()) {
        values.clear();
        return {};
    }
    Recogniser recogniser(std::make_shared<const Grammar>(std::move(built).value()));
    std::erase_if(values, [&](const Json& value) {
        Position at = recogniser.start();
        for (char c : json_.written(value))
            at = recogniser.step(at, static_cast<uint8_t>(c));
        return !recogniser.may_end(at);
    });
    return {};
}

// --- types --------------------------------------------------------------------------------------

Result<Expr> SchemaReader::read_types(const SchemaParts& parts) {
    TRY(const uint8_t types, written_types(parts));
    std::vector<Expr> out;
    if (types & kObject) {
        TRY(const Expr object, read_object(parts));
        out.push_back(object);
    }
    if (types & kArray) {
        TRY(const Expr array, read_array(parts));
        out.push_back(array);
    }
    if (types & kString) {
        TRY(const Expr string, read_string(parts));
        out.push_back(string);
    }
    if (types & (kInteger | kFraction)) {
        TRY(const Expr number, read_number(parts, (types & kFraction) == 0));
        out.push_back(number);
    }
    if (types & kBoolean) {
        out.push_back(json_.boolean(true));
        out.push_back(json_.boolean(false));
    }
    if (types & kNull) out.push_back(json_.null());
    return b_.either(std::move(out));
}

Result<Expr> SchemaReader::read_number(const SchemaParts& parts, bool integer) {
    NumberBounds bounds;
    const SchemaPart* multiple = nullptr;
    for (const SchemaPart& part : parts) {
        for (const char* keyword :
             {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}) {
            const Json* value = part.find(keyword);
            const std::string name = keyword;
            if (!value) continue;
            if (value->is_boolean() && name.starts_with("exclusive")) continue;  // of draft 4
            if (!value->is_number())
                return part.error(Code::invalid_argument, keyword, "must be a number");
            if (name == "multipleOf") {
                if (value->get<double>() <= 0)
                    return part.error(Code::invalid_argument, keyword, "must be above 0");
                bounds.multiple_of.push_back(*value);
                multiple = &part;
                continue;
            }
            const bool is_low = name.ends_with("inimum");
            const Json* flag = part.find(is_low ? "exclusiveMinimum" : "exclusiveMaximum");
            const bool exclusive =
                name.starts_with("exclusive") || (flag && flag->is_boolean() && flag->get<bool>());
            (is_low ? bounds.low : bounds.high).push_back({*value, exclusive});
        }
    }
    if (bounds.none()) return integer ? json_.any_integer() : json_.any_number();
    auto out = integer ? bounded_integer(json_, bounds) : bounded_number(json_, bounds);
    if (!out.ok() && multiple) return multiple->error("multipleOf", std::move(out).error());
    return out;
}

}  // namespace brigada
