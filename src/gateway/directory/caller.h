// Caller: what the directory found out about whoever sent a key, kept by a call for as long as it
// runs. Changes in the directory make a new Caller; calls already admitted keep theirs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/directory/records.h"
#include "gateway/directory/scope_book.h"

namespace brigada {

/// Why a caller is turned away, in LiteLLM's terms. The message never shows the key.
struct Denial {
    int status = 401;
    std::string type = {};
    std::string message = {};
};

/// A scope that counts calls of one model (by name or pattern), or of all when `model` is empty.
struct CallerScope {
    ScopeId id = {};
    std::string model = {};
};

/// The allow-list of one level, when it has one.
struct AllowList {
    ScopeKind level = ScopeKind::key;
    std::string name = {};  // the level's alias, else its id
    std::vector<std::string> models = {};
};

struct Caller {
    bool admin = false;  // the master key: no limits, all models, may administer
    std::string key = {};
    std::string key_alias = {};
    std::string key_display = {};
    std::string user = {};
    std::string team = {};
    std::string team_alias = {};
    std::string organisation = {};
    std::string tenant = {};  // whose end users its end users are: "team:<id>"
    PriorityClass priority = PriorityClass::standard;
    std::vector<AllowList> allow_lists = {};          // narrowest level first
    std::map<std::string, std::string> aliases = {};  // the narrowest level's word counts
    std::vector<std::string> tags = {};               // of all levels, sorted
    std::vector<CallerScope> scopes = {};             // narrowest level first

    /// The model meant by the one asked for.
    std::string_view resolve(std::string_view model) const;

    /// Nothing when every level lets the model through.
    std::optional<Denial> denies(std::string_view model) const;
};

using CallerRef = std::shared_ptr<const Caller>;

}  // namespace brigada
