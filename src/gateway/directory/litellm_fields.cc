#include "gateway/directory/litellm_fields.h"

#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

using Limit = std::optional<int64_t> RateLimits::*;

struct ModelLimitField {
    const char* name;
    Limit limit;
};
constexpr ModelLimitField kModelLimits[] = {
    {"model_rpm_limit", &RateLimits::requests_per_minute},
    {"model_tpm_limit", &RateLimits::tokens_per_minute},
    {"model_max_parallel_requests", &RateLimits::concurrent},
};

void read_limits(BodyReader& body, RateLimits& limits) {
    body.whole("rpm_limit", limits.requests_per_minute);
    body.whole("tpm_limit", limits.tokens_per_minute);
    body.whole("max_parallel_requests", limits.concurrent);
}

/// The new map replaces this limit of every model and leaves the models' other limits alone.
void read_model_limit(BodyReader& body, const ModelLimitField& field,
                      std::map<std::string, RateLimits>& models) {
    const Json* value = body.find(field.name);
    if (!value) return;
    for (auto& [model, limits] : models)
        (limits.*field.limit).reset();
    if (!value->is_null())
        body.nested(field.name, *value, [&](BodyReader& inner) {
            for (const auto& [model, number] : value->items())
                inner.whole(model, models[model].*field.limit);
        });
    std::erase_if(models, [](const auto& entry) { return !entry.second.any(); });
}

TimedBudget read_window(BodyReader& body, std::string_view max, std::string_view duration) {
    TimedBudget window;
    std::optional<Money> amount;
    body.money(max, amount);
    if (!amount) body.wrong(max, "is missing; it is a number of dollars");
    window.max = amount.value_or(Money{});
    body.text(duration, window.duration);
    return window;
}

void read_more_budgets(BodyReader& body, std::vector<TimedBudget>& windows) {
    const Json* value = body.find("budget_limits");
    if (!value) return;
    windows.clear();
    if (value->is_null()) return;
    if (!value->is_array())
        return body.wrong("budget_limits", "a list of {\"max_budget\", \"budget_duration\"}",
                          *value);
    for (const Json& item : *value)
        body.nested(concat("budget_limits[", windows.size(), "]"), item, [&](BodyReader& inner) {
            windows.push_back(read_window(inner, "max_budget", "budget_duration"));
        });
}

/// {"model": 5.0}, or {"model": {"budget_limit": 5.0, "time_period": "1d"}}.
void read_model_budgets(BodyReader& body, std::map<std::string, TimedBudget>& budgets) {
    const Json* value = body.find("model_max_budget");
    if (!value) return;
    budgets.clear();
    if (value->is_null()) return;
    body.nested("model_max_budget", *value, [&](BodyReader& models) {
        for (const auto& [model, budget] : value->items()) {
            models.find(model);
            if (const auto amount = money_from(budget))
                budgets[model].max = *amount;
            else
                models.nested(model, budget, [&](BodyReader& inner) {
                    budgets[model] = read_window(inner, "budget_limit", "time_period");
                });
        }
    });
}

void read_increase(BodyReader& body, std::optional<BudgetIncrease>& increase) {
    const bool has_amount = body.has("temp_budget_increase");
    if (has_amount != body.has("temp_budget_expiry"))
        return body.wrong(has_amount ? "temp_budget_expiry" : "temp_budget_increase",
                          "is missing; an increase and its expiry come together");
    if (!has_amount) return;
    std::optional<Money> amount;
    std::optional<WallTime> until;
    body.money("temp_budget_increase", amount);
    body.time("temp_budget_expiry", until);
    if (body.good() && amount.has_value() != until.has_value())
        body.wrong("temp_budget_expiry", "an increase and its expiry are set or cleared together");
    increase.reset();
    if (amount && until) increase = {.amount = *amount, .until = *until};
}

void read_enforcement(BodyReader& body, bool& showback) {
    const Json* value = body.find("budget_enforcement");
    if (!value) return;
    showback = *value == "showback";
    if (!showback && !value->is_null() && *value != "hard")
        body.wrong("budget_enforcement", "\"hard\" or \"showback\"", *value);
}

void read_priority(BodyReader& body, std::optional<PriorityClass>& priority) {
    const Json* value = body.find("priority");
    if (!value) return;
    priority.reset();
    if (value->is_string()) priority = priority_from(value->get_ref<const std::string&>());
    if (!priority && !value->is_null())
        body.wrong("priority", "\"guaranteed\", \"standard\" or \"batch\"", *value);
}

template <typename T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}
Json dollars_or_null(const std::optional<Money>& money) {
    return money ? dollars(*money) : Json();
}

Json show_model_limit(const std::map<std::string, RateLimits>& models, Limit limit) {
    Json out = Json::object();
    for (const auto& [model, limits] : models)
        if (limits.*limit) out[model] = *(limits.*limit);
    return out;
}

}  // namespace

void read_allowance(BodyReader& body, Allowance& allowance) {
    read_limits(body, allowance.limits);
    for (const ModelLimitField& field : kModelLimits)
        read_model_limit(body, field, allowance.model_limits);
    body.money("max_budget", allowance.max_budget);
    body.money("soft_budget", allowance.soft_budget);
    body.text("budget_duration", allowance.budget_duration);
    read_more_budgets(body, allowance.more_budgets);
    read_model_budgets(body, allowance.model_budgets);
    read_increase(body, allowance.increase);
    read_enforcement(body, allowance.showback);
    if (!allowance.max_budget && !body.has("temp_budget_increase")) allowance.increase.reset();
}

void read_holder(BodyReader& body, Holder& holder, std::string_view aliases) {
    read_allowance(body, holder.allowance);
    body.text("budget_id", holder.budget_id);
    body.texts("models", holder.models);
    body.text_map(aliases, holder.aliases);
    read_priority(body, holder.priority);
    body.flag("blocked", holder.blocked);
    body.object("metadata", holder.metadata);
    body.texts("tags", holder.tags);
}

void show_allowance(Json& out, const Allowance& allowance) {
    out["rpm_limit"] = or_null(allowance.limits.requests_per_minute);
    out["tpm_limit"] = or_null(allowance.limits.tokens_per_minute);
    out["max_parallel_requests"] = or_null(allowance.limits.concurrent);
    for (const ModelLimitField& field : kModelLimits)
        out[field.name] = show_model_limit(allowance.model_limits, field.limit);
    out["max_budget"] = dollars_or_null(allowance.max_budget);
    out["soft_budget"] = dollars_or_null(allowance.soft_budget);
    out["budget_duration"] = text_or_null(allowance.budget_duration);
    out["budget_limits"] = Json::array();
    for (const TimedBudget& window : allowance.more_budgets)
        out["budget_limits"].push_back({{"budget_duration", text_or_null(window.duration)},
                                        {"max_budget", dollars(window.max)}});
    out["model_max_budget"] = Json::object();
    for (const auto& [model, window] : allowance.model_budgets)
        out["model_max_budget"][model] = {{"budget_limit", dollars(window.max)},
                                          {"time_period", text_or_null(window.duration)}};
    out["budget_enforcement"] = allowance.showback ? "showback" : "hard";
    if (!allowance.increase) return;
    out["temp_budget_increase"] = dollars(allowance.increase->amount);
    out["temp_budget_expiry"] = iso_text(allowance.increase->until);
}

void show_holder(Json& out, const Desk& desk, const Holder& holder, ScopeKind kind,
                 std::string_view aliases) {
    const Spend spend = desk.spend({.kind = kind, .id = holder.id});
    out["spend"] = dollars(spend.spent);
    out["budget_reset_at"] = time_or_null(spend.resets_at);
    show_allowance(out, holder.allowance);
    out["budget_id"] = text_or_null(holder.budget_id);
    const auto* budget = desk.directory.find<BudgetTemplate>(holder.budget_id);
    out["litellm_budget_table"] = budget ? show_budget(*budget) : Json();
    out["models"] = holder.models;
    out[std::string(aliases)] = holder.aliases;
    out["priority"] = holder.priority ? Json(to_string(*holder.priority)) : Json();
    out["blocked"] = holder.blocked;
    out["metadata"] = holder.metadata;
    out["tags"] = holder.tags;
    out["created_at"] = iso_text(holder.created);
    out["updated_at"] = iso_text(holder.updated);
    out["created_by"] = holder.created_by;
    out["updated_by"] = holder.updated_by;
}

Json text_or_null(std::string_view text) {
    return text.empty() ? Json() : Json(text);
}

Json time_or_null(const std::optional<WallTime>& time) {
    return time ? Json(iso_text(*time)) : Json();
}

}  // namespace brigada
