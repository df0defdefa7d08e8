// Management: LiteLLM's routes over the directory: /key, /team, /user, /budget, /organization and
// /customer. A call goes in as values and a reply comes out; the shell owns sockets, the audit log
// and what was spent.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "gateway/directory/directory.h"
#include "gateway/openapi/route_doc.h"

namespace brigada {

/// What a holder has spent in its current window (in all, without one), and when that ends.
struct Spend {
    Money spent = {};
    std::optional<WallTime> resets_at = {};
};

/// Asked with an empty owner for an end user as a whole. An empty function: nobody spent anything.
using SpendLookup = std::function<Spend(const ScopeInfo&)>;

struct ManagementCall {
    std::string method = {};
    std::string path = {};                                       // without the query
    std::map<std::string, std::string, std::less<>> query = {};  // decoded
    Json body = {};                                              // null for none
    CallerRef caller = {};                                       // null: nobody
    WallTime now = {};
    SpendLookup spend = {};
};

struct ManagementReply {
    int status = 200;
    Json body = {};
    Changes changes = {};  // to be written; the reply holds once they are
};

/// All of them, as the OpenAPI document shows them.
std::vector<DocumentedRoute> documented_management_routes();

/// Whether a path is one of these routes' (of any method).
bool is_management_path(std::string_view path);

/// Only the master key administers. Another key may read its own /key/info and nothing else; what
/// it is told of other keys does not depend on whether they exist.
/// Nothing has changed when it returns: write the changes, absorb them, then answer.
ManagementReply draft(Directory& directory, const ManagementCall& call);

/// The reply when the changes could not be written.
ManagementReply not_written(const Error& error);

/// The reply when others changed what this call was judged by, again and again.
ManagementReply overtaken();

/// LiteLLM's envelope: {"error": {"message", "type", "param", "code"}}, the code as a string.
Json error_envelope(int status, std::string_view type, std::string_view message);

}  // namespace brigada
