// Noun: what the management API has several of: keys, teams, users, organisations, budgets. A row
// of words and tables from which its commands are made.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"

namespace brigada {

/// How a field of a record reads in a table.
enum class CellKind { text, list, count, dollars, number, time, token, flag };

struct CellDoc {
    const char* title;
    const char* field;
    CellKind kind = CellKind::text;
};

/// How the word after an option becomes a value of the body.
enum class OptionKind {
    text,
    number,
    list,  // a,b,c
    team,  // a name, to be looked up
    user,
    organisation,
};

struct OptionDoc {
    const char* name;   // "--max-budget"
    const char* field;  // "max_budget"
    OptionKind kind;
    const char* type;  // "DOLLARS"
    const char* about;
};

struct Noun {
    const char* command;  // "teams"
    const char* one;      // "team"
    const char* about;
    const char* route;           // "/team"
    const char* create = "new";  // the last part of the route that makes one
    const char* id = "";         // the field that names a record
    const char* alias = "";      // the field with its name for people; empty: none
    const char* list = "";       // the field of the list in the answer; empty: the answer itself
    bool has_pages = false;
    const char* info_query = "";  // of GET .../info; empty: the list has it all
    const char* info = "";        // the field of the record in that answer
    const char* erase = "";       // the field of the ids to delete
    bool erases_one = false;      // it takes one id, not a list
    bool can_block = false;
    bool is_secret = false;       // made with a text that is shown once
    const char* name_field = "";  // of a new one's body: where NAME goes
    std::span<const CellDoc> cells = {};
    std::span<const OptionDoc> options = {};
};

std::span<const Noun> nouns();
const Noun& noun_of(std::string_view command);  // CHECKs that it is one

/// What every holder of limits takes.
std::span<const OptionDoc> limit_options();

/// A field of a record as a cell: "-" where there is nothing.
std::string cell(const Json& record, const CellDoc& doc);

/// Dollars as JSON has them, exact to the nano-dollar.
std::string dollars_text(const Json& dollars);

}  // namespace brigada
