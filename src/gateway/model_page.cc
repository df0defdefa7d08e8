#include "gateway/model_page.h"

namespace brigada {

Json model_json(const std::string& name, Dialect dialect) {
    if (is_anthropic(dialect))
        return {{"type", "model"},
                {"id", name},
                {"display_name", name},
                {"created_at", "1970-01-01T00:00:00Z"}};
    return {{"id", name}, {"object", "model"}, {"created", 0}, {"owned_by", "brigada"}};
}

Json model_page(std::span<const std::string> names, Dialect dialect) {
    Json data = Json::array();
    for (const std::string& name : names)
        data.push_back(model_json(name, dialect));
    if (!is_anthropic(dialect)) return {{"object", "list"}, {"data", std::move(data)}};
    return {{"data", std::move(data)},
            {"has_more", false},
            {"first_id", names.empty() ? Json(nullptr) : Json(names.front())},
            {"last_id", names.empty() ? Json(nullptr) : Json(names.back())}};
}

}  // namespace brigada
