#include "gateway/directory/caller.h"

#include "base/concat.h"
#include "gateway/directory/model_list.h"

namespace brigada {

namespace {

std::string_view denial_type(ScopeKind level) {
    switch (level) {
        case ScopeKind::organisation:
            return "org_model_access_denied";
        case ScopeKind::team:
            return "team_model_access_denied";
        case ScopeKind::user:
            return "user_model_access_denied";
        default:
            return "key_model_access_denied";
    }
}

/// At most ten names: enough to pick one, short enough to read.
std::string some_of(const std::vector<std::string>& models) {
    std::string text;
    for (size_t i = 0; i < models.size() && i < 10; ++i)
        text += (i > 0 ? ", " : "") + models[i];
    return models.size() > 10 ? text + ", ..." : text;
}

}  // namespace

std::string_view Caller::resolve(std::string_view model) const {
    const auto found = aliases.find(std::string(model));
    return found == aliases.end() ? model : std::string_view(found->second);
}

std::optional<Denial> Caller::denies(std::string_view model) const {
    for (const AllowList& list : allow_lists)
        if (!allows_model(list.models, model))
            return Denial{
                .status = 403,
                .type = std::string(denial_type(list.level)),
                .message = concat("This ", to_string(list.level), " may not use the model '",
                                  model.substr(0, 100), "'. It may use: ", some_of(list.models))};
    return std::nullopt;
}

}  // namespace brigada
