// RouteDoc: what a route says of itself. It stands in the same row as the route's handler, so that
// the OpenAPI document and what is served can't part.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brigada {

/// What a field or parameter holds. Except for flags of a query, `null` clears a field of a body
/// and stands for "none" in an answer.
enum class FieldType {
    text,
    flag,
    whole,     // a number from 0
    page,      // a number from 1 to 1000
    money,     // dollars from 0
    time,      // 2026-03-01T12:30:00Z; in bodies also a date
    day,       // 2026-03-01
    moment,    // a day or a time
    duration,  // 30s, 20m, 12h, 7d, 2w, 1mo
    texts,     // a list of texts
    text_map,  // {"name": "text"}
    whole_map,
    object,   // of anything
    objects,  // a list of objects
    any,
    ref,   // the schema named by `of`
    refs,  // a list of them
};

struct FieldDoc {
    std::string_view name = {};
    FieldType type = FieldType::text;
    std::string_view about = {};
    std::string_view of = {};  // of ref and refs: a schema; of a text: the words it may be, by '|'
    bool required = false;     // there, and not null
};

enum class AnswerKind { json, text };

struct RouteDoc {
    std::string_view about = {};
    std::string_view body = {};    // the name of its schema; empty: takes none
    std::string_view answer = {};  // the same of a good answer; empty: any object
    std::span<const FieldDoc> query = {};
    AnswerKind kind = AnswerKind::json;
    bool is_public = false;  // asks for no key
};

/// A route with its place, for the document.
struct DocumentedRoute {
    std::string_view method = {};
    std::string path = {};  // {name} stands for a part of it
    const RouteDoc* doc = nullptr;
};

/// What stands for {name}, or nothing when the path is another; without braces: empty. In the
/// middle of a path it is one segment, at its end all of the rest. Never empty where it stands.
std::optional<std::string_view> match_path(std::string_view pattern, std::string_view path);

}  // namespace brigada
