#include "ledger/postgres_address.h"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/concat.h"

namespace brigada {

namespace {

/// Parameters of Prisma, which LiteLLM hands its URL to; libpq refuses those it does not know.
constexpr std::array<std::string_view, 7> kPrismaOnly{
    "connection_limit", "pool_timeout",         "pgbouncer",     "schema",
    "sslaccept",        "statement_cache_size", "socket_timeout"};

Error no_address(std::string_view why) {
    return {Code::invalid_argument,
            concat("the database's URL ", why,
                   "; it looks like postgresql://user:password@host:5432/database, and in the "
                   "password %, /, @, :, ? and # are written %25, %2F, %40, %3A, %3F and %23")};
}

std::string without_prisma(std::string_view url) {
    const size_t question = url.find('?');
    std::string out(url.substr(0, question));
    if (question == std::string_view::npos) return out;
    char joint = '?';
    for (std::string_view rest = url.substr(question + 1); !rest.empty();) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
        if (std::ranges::find(kPrismaOnly, pair.substr(0, pair.find('='))) != kPrismaOnly.end())
            continue;
        out += concat(joint, pair);
        joint = '&';
    }
    return out;
}

struct FreeOptions {
    void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

std::string_view option(const Options& options, std::string_view keyword) {
    for (const PQconninfoOption* one = options.get(); one->keyword; ++one)
        if (one->keyword == keyword) return one->val ? one->val : "";
    return "";
}

std::string name_of(const Options& options) {
    std::string_view host = option(options, "host");
    if (host.empty()) host = option(options, "hostaddr");
    const std::string_view port = option(options, "port");
    const std::string_view database = option(options, "dbname");
    return concat("PostgreSQL at ", host.empty() ? "the local socket" : host,
                  port.empty() ? "" : ":", port, database.empty() ? "" : "/", database);
}

}  // namespace

Result<PostgresAddress> parse_postgres_address(std::string_view url) {
    if (!url.starts_with("postgresql://") && !url.starts_with("postgres://"))
        return no_address("does not begin with postgresql://");
    PostgresAddress out{.url = without_prisma(url)};
    char* words = nullptr;  // not shown: they may quote the password
    const Options options(PQconninfoParse(out.url.c_str(), &words));
    PQfreemem(words);
    if (!options) return no_address("cannot be read");
    if (option(options, "port").find_first_not_of("0123456789,") != std::string_view::npos ||
        option(options, "host").contains('@') || option(options, "dbname").contains('@'))
        return no_address("has no host or port that can be");
    out.name = name_of(options);
    return out;
}

}  // namespace brigada
