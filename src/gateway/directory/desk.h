// Desk: one management call while a handler works on it, and the routes each noun offers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/directory/body_reader.h"
#include "gateway/directory/management.h"
#include "gateway/directory/record_kinds.h"
#include "gateway/openapi/route_doc.h"

namespace brigada {

struct Desk {
    Directory& directory;
    const ManagementCall& call;
    std::string path_part = {};  // what stands for {key} in the path
    Changes changes = {};
    std::vector<std::string> warnings = {};

    Act act() const { return {.actor = call.caller->key_alias, .now = call.now}; }

    /// A parameter of the query; empty when absent.
    std::string_view query(std::string_view name) const;

    Spend spend(const ScopeInfo& info) const { return call.spend ? call.spend(info) : Spend(); }

    /// Takes the reader's warnings; its error, if it has one.
    Result<void> finish(const BodyReader& body);

    void did(Changes done);

    /// Error::not_found names the field and the id.
    template <typename T>
    Result<const T*> require(RecordKind kind, std::string_view id) const {
        if (const T* found = directory.find<T>(id)) return found;
        return Error{Code::not_found,
                     concat(id_field(kind), ": there is no ", to_string(kind), " '", id, "'")};
    }
};

/// A field that must be there and not empty. Error::invalid_argument.
Result<std::string> required(BodyReader& body, std::string_view name);
Result<std::vector<std::string>> required_list(BodyReader& body, std::string_view name);

/// The body, and the configured defaults for what it leaves out.
Json with_defaults(const Json& body, const Json& defaults);

/// One page of a list, from the query's page (from 1) and size. Error::invalid_argument.
struct Page {
    size_t number = 1;
    size_t size = 10;
    size_t total = 0;

    size_t begin() const { return std::min(total, (number - 1) * size); }
    size_t end() const { return std::min(total, begin() + size); }
    size_t pages() const { return (total + size - 1) / size; }
};
Result<Page> page_of(const Desk& desk, size_t total);

struct ManagementRoute {
    std::string_view method;
    std::string_view path;  // {key} stands for one segment
    Result<Json> (*handler)(Desk&);
    RouteDoc doc = {};
    bool is_open = false;  // to every key, for what is its own
};

std::span<const ManagementRoute> key_routes();
std::span<const ManagementRoute> team_routes();
std::span<const ManagementRoute> user_routes();
std::span<const ManagementRoute> budget_routes();
std::span<const ManagementRoute> organisation_routes();
std::span<const ManagementRoute> customer_routes();

// What several nouns show and change.

Json show_key(const Desk& desk, const Key& key);
Json show_team(const Desk& desk, const Team& team);
Json show_budget(const BudgetTemplate& budget);

/// Reads {user_id, user_email} into a user id. A user nobody knows is created by an edit in
/// `first`.
std::string read_user(Desk& desk, BodyReader& body, std::vector<Directory::Edit>& first);

}  // namespace brigada
