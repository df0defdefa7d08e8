#include "gateway/scope_words.h"

#include "base/concat.h"

namespace brigada {

std::string words_for(const ScopeInfo* info) {
    if (info == nullptr) return "a limit";
    const std::string model = info->model.empty() ? "" : concat(" for model ", info->model);
    if (info->kind == ScopeKind::key) return concat("this key", model);
    if (info->kind == ScopeKind::proxy) return concat("the whole gateway", model);
    return concat(to_string(info->kind), " ", info->id, model);
}

}  // namespace brigada
