// Arrays: items by position, then the others, counted.
#include <algorithm>

#include "base/concat.h"
#include "grammar/schema_reader.h"

namespace brigada {

namespace {

/// `prefixItems`, and `items` and `additionalItems` as drafts before 2020 wrote them.
struct ItemKeywords {
    const char* prefix = "prefixItems";
    const char* rest = "items";
};

ItemKeywords item_keywords(const SchemaPart& part) {
    const Json* items = part.find("items");
    if (items && items->is_array()) return {"items", "additionalItems"};
    return {};
}

struct ArrayShape {
    uint64_t least = 0;
    std::optional<uint64_t> most{};
    size_t prefix = 0;  // positions with a schema of their own
    bool says_rest = false;
};

Result<ArrayShape> array_shape(const SchemaParts& parts) {
    ArrayShape out;
    for (const SchemaPart& part : parts) {
        const ItemKeywords keywords = item_keywords(part);
        TRY(const Json* prefix, part.list(keywords.prefix));
        if (prefix) out.prefix = std::max(out.prefix, prefix->size());
        out.says_rest = out.says_rest || part.has(keywords.rest);
        TRY(const auto least, part.count("minItems"));
        TRY(const auto most, part.count("maxItems"));
        for (const auto& [count, keyword] : {std::pair(least, "minItems"), {most, "maxItems"}})
            if (count.value_or(0) > kMaxCountedMembers)
                return part.error(
                    Code::too_large, keyword,
                    concat("at most ", kMaxCountedMembers, " items are counted; got ", *count));
        out.least = std::max(out.least, least.value_or(0));
        if (most) out.most = std::min(out.most.value_or(*most), *most);
    }
    // No item beyond those with a schema, unless they are asked for.
    if (out.prefix > 0 && !out.says_rest && out.least <= out.prefix)
        out.most = std::min<uint64_t>(out.most.value_or(out.prefix), out.prefix);
    return out;
}

SchemaParts item_parts(const SchemaParts& parts, size_t position) {
    SchemaParts out;
    for (const SchemaPart& part : parts) {
        const ItemKeywords keywords = item_keywords(part);
        const Json* prefix = part.find(keywords.prefix);
        if (prefix && position < prefix->size())
            out.push_back(part.below(keywords.prefix, position));
        else if (part.has(keywords.rest))
            out.push_back(part.below(keywords.rest));
    }
    return out;
}

}  // namespace

Result<Expr> SchemaReader::read_array(const SchemaParts& parts) {
    TRY(const ArrayShape shape, array_shape(parts));
    for (const SchemaPart& part : parts) {
        const Json* unique = part.find("uniqueItems");
        if (unique && *unique == true && shape.most.value_or(2) > 1)
            return part.error(Code::unsupported, "uniqueItems",
                              "cannot be honoured while text is generated; leave it out, or "
                              "allow one item");
    }
    if (shape.most && *shape.most < shape.least) return b_.never();
    // Positions are told apart up to `counted`; from there on one is like the next.
    const uint64_t counted = shape.most.value_or(std::max<uint64_t>(shape.least, shape.prefix));
    ExprGraph graph{.states = static_cast<uint32_t>(2 * counted + 2)};
    const auto before = [](uint64_t item) { return static_cast<uint32_t>(2 * item); };
    const auto behind = [](uint64_t item) { return static_cast<uint32_t>(2 * item + 1); };
    std::optional<Expr> rest;
    for (uint64_t item = 0; item <= counted; ++item) {
        const bool last = item == counted;
        if (last && shape.most) break;
        if (item <= shape.prefix || !rest) {
            TRY(rest, read(item_parts(parts, item)));
        }
        // behind(i): i + 1 items are written, or more where they are not told apart.
        graph.edges.push_back({before(item), *rest, behind(item)});
        const uint64_t next = std::min(item + 1, counted);
        if (!shape.most || item + 1 < counted)
            graph.edges.push_back({behind(item), json_.comma(), before(next)});
        if (item + 1 >= shape.least) graph.ends.push_back(behind(item));
    }
    return json_.enclosed('[', std::move(graph), ']', shape.least == 0);
}

}  // namespace brigada
