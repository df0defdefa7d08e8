// How answers of the management API look to people.
#pragma once

#include <span>
#include <string>

#include "cli/manage/name_book.h"
#include "cli/manage/noun.h"

namespace brigada {

/// Two spaces an indent, for --json.
void print_json(const Json& answer);

/// A line for each record.
void print_table(const Noun& noun, std::span<const Json> records, NameBook& names);

/// A line for each field that says something.
void print_fields(const Json& record, NameBook& names);

/// What of a body had no effect, to standard error.
void print_warnings(const Json& answer);

}  // namespace brigada
