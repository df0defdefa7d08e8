// NameBook: the registers a command has looked into, each asked for once: names to ids for what it
// sends, ids to names for what it shows.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "cli/manage/register.h"

namespace brigada {

class NameBook {
  public:
    explicit NameBook(GatewayApi& api) : api_(api) {}

    /// All records of a noun, by its command.
    Result<const Register*> of(std::string_view command);

    /// Errors as Register::find().
    Result<std::string> id_of(std::string_view command, std::string_view word);

    /// For the fields team_id, user_id and organization_id the name of whom they mean; for others,
    /// and where nobody is known, the id.
    std::string name_of(std::string_view field, const std::string& id);

  private:
    GatewayApi& api_;
    std::map<std::string, Register, std::less<>> registers_;
};

}  // namespace brigada
