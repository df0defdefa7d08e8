// Schemas: the bodies and answers of the front door's routes, as tables of fields.
#pragma once

#include <span>
#include <string_view>

#include "gateway/openapi/route_doc.h"

namespace brigada {

/// An object. It has the fields of the schemas in `bases`, too.
struct SchemaDoc {
    std::string_view name = {};
    std::string_view about = {};
    std::span<const FieldDoc> fields = {};
    std::string_view bases = {};  // names, by a space
    bool is_list = false;         // a list of `fields.front()`, which has no name
};

std::span<const SchemaDoc> schema_docs();

/// Null when there is none of this name.
const SchemaDoc* find_schema(std::string_view name);

}  // namespace brigada
