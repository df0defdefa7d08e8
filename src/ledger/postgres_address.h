// PostgresAddress: the URL of a PostgreSQL database, as LiteLLM's users have it: what only Prisma
// understands is left out, and nothing said about it shows the password.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace brigada {

struct PostgresAddress {
    std::string url = {};   // for libpq; it may hold a password: never print it
    std::string name = {};  // "PostgreSQL at db.example:5432/brigada", for messages
};

/// postgresql:// and postgres:// URLs. Error::invalid_argument says what is wrong with it without
/// repeating it.
Result<PostgresAddress> parse_postgres_address(std::string_view url);

}  // namespace brigada
