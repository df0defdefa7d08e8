// /budget: templates of limits that keys, teams, users and customers share by their budget_id.
#include "gateway/directory/desk.h"
#include "gateway/directory/litellm_fields.h"
#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

Result<Json> create(Desk& desk) {
    BodyReader body(desk.call.body);
    BudgetTemplate budget;
    body.text("budget_id", budget.id);
    if (budget.id.empty()) budget.id = desk.directory.new_id();
    const std::string id = budget.id;
    read_allowance(body, budget.allowance);
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.create(std::move(budget), desk.act()));
    desk.did(std::move(done));
    return show_budget(*desk.directory.find<BudgetTemplate>(id));
}

Result<Json> update(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const std::string id, required(body, "budget_id"));
    TRY(const auto* budget, desk.require<BudgetTemplate>(RecordKind::budget, id));
    BudgetTemplate changed = *budget;
    read_allowance(body, changed.allowance);
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.update(std::move(changed), desk.act()));
    desk.did(std::move(done));
    return show_budget(*budget);
}

Result<Json> info(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const auto ids, required_list(body, "budgets"));
    TRY(desk.finish(body));
    Json shown = Json::array();
    for (const std::string& id : ids) {
        TRY(const auto* budget, desk.require<BudgetTemplate>(RecordKind::budget, id));
        shown.push_back(show_budget(*budget));
    }
    return shown;
}

Result<Json> list(Desk& desk) {
    Json shown = Json::array();
    for (const auto& [id, budget] : desk.directory.all<BudgetTemplate>())
        shown.push_back(show_budget(budget));
    return shown;
}

Result<Json> erase(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const std::string id, required(body, "id"));
    TRY(desk.finish(body));
    TRY(const auto* budget, desk.require<BudgetTemplate>(RecordKind::budget, id));
    Json shown = show_budget(*budget);
    TRY(Changes done, desk.directory.erase(RecordKind::budget, {id}, desk.act()));
    desk.did(std::move(done));
    return shown;
}

constexpr ManagementRoute kRoutes[] = {
    {"POST", "/budget/new", create, {"make a template", "NewBudget", "Budget"}},
    {"POST", "/budget/update", update, {"change a template", "BudgetChange", "Budget"}},
    {"POST", "/budget/info", info, {"templates by their ids", "BudgetChoice", "BudgetList"}},
    {"GET", "/budget/list", list, {"templates", "", "BudgetList"}},
    {"POST", "/budget/delete", erase, {"delete a template nobody uses", "BudgetOfId", "Budget"}},
};

}  // namespace

std::span<const ManagementRoute> budget_routes() {
    return kRoutes;
}

Json show_budget(const BudgetTemplate& budget) {
    Json out = {{"budget_id", budget.id}};
    show_allowance(out, budget.allowance);
    out["created_at"] = iso_text(budget.created);
    out["updated_at"] = iso_text(budget.updated);
    out["created_by"] = budget.created_by;
    out["updated_by"] = budget.updated_by;
    return out;
}

}  // namespace brigada
