#include "cli/manage/name_book.h"

namespace brigada {

namespace {

std::string_view command_of(std::string_view field) {
    if (field == "team_id") return "teams";
    if (field == "user_id") return "users";
    if (field == "organization_id") return "orgs";
    return {};
}

}  // namespace

Result<const Register*> NameBook::of(std::string_view command) {
    const auto known = registers_.find(command);
    if (known != registers_.end()) return &known->second;
    TRY(Register read, Register::read(api_, noun_of(command)));
    return &registers_.emplace(std::string(command), std::move(read)).first->second;
}

Result<std::string> NameBook::id_of(std::string_view command, std::string_view word) {
    TRY(const Register* all, of(command));
    TRY(const Json record, all->find(word));
    return all->id_of(record);
}

std::string NameBook::name_of(std::string_view field, const std::string& id) {
    const std::string_view command = command_of(field);
    if (command.empty() || id.empty()) return id;
    const auto all = of(command);
    return all.ok() ? (*all)->alias_of(id) : id;
}

}  // namespace brigada
