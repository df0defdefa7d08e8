#include "gateway/scope_words.h"

#include "base/concat.h"

namespace brigada {

namespace {

template <typename T>
std::string name(const Directory& directory, const std::string& id) {
    const T* holder = directory.find<T>(id);
    return holder == nullptr || holder->alias.empty() ? id : holder->alias;
}

std::string holder_name(const Directory& directory, const ScopeInfo& info) {
    switch (info.kind) {
        case ScopeKind::key:
            return "this key";
        case ScopeKind::proxy:
            return "the whole gateway";
        case ScopeKind::team:
            return concat("team ", name<Team>(directory, info.id));
        case ScopeKind::organisation:
            return concat("organisation ", name<Organisation>(directory, info.id));
        case ScopeKind::user:
            return concat("user ", name<User>(directory, info.id));
        case ScopeKind::member:
        case ScopeKind::end_user:
            break;
    }
    return concat(to_string(info.kind), " ", info.id);
}

}  // namespace

std::string words_for(const Directory& directory, ScopeId scope) {
    const ScopeInfo* info = directory.describe(scope);
    if (info == nullptr) return "a limit";
    return concat(holder_name(directory, *info),
                  info->model.empty() ? "" : concat(" for model ", info->model));
}

}  // namespace brigada
