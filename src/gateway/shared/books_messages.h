// What a replica says to the books that all share, and how it reads their answers: the words of the
// script's commands. No socket here.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admit/budgets.h"
#include "admit/limiter.h"
#include "base/result.h"
#include "gateway/shared/redis_value.h"

namespace brigada {

/// One holder of limits, as all replicas name it.
struct SharedScope {
    std::string name = {};
    Limits limits = {};
    std::vector<SharedBudget> budgets = {};
};

/// A call that asks to be let in, for all of `scopes` at once.
struct SharedCall {
    int64_t tokens = 0;
    Money cost = {};
    std::vector<SharedScope> scopes = {};
};

/// A call that is over: by how much its estimate was wrong, in every scope.
struct SharedEnd {
    struct Scope {
        std::string name = {};
        int64_t entry = -1;  // where the call was counted; -1: the books have it elsewhere by now
        std::vector<SharedBudget> budgets = {};
    };
    int64_t requests = 0;  // -1: it did not happen
    int64_t tokens = 0;    // by how many there were more than reserved
    Money reserved = {};   // that it no longer is
    Money cost = {};
    std::vector<Scope> scopes = {};
};

/// All that this replica has in use of one scope.
struct SharedUse {
    std::string name = {};
    Limiter::Use use = {};
    Money reserved = {};
    std::vector<SharedBudget> budgets = {};
};

/// What all replicas have used of one scope.
struct ScopeTotal {
    int64_t entry = -1;
    int64_t requests = 0;  // in the last minute; what is kept free for others included
    int64_t tokens = 0;
    Money others_reserved = {};
    struct Spent {
        Money earlier = {};
        Money since = {};
    };
    std::vector<Spent> budgets = {};  // of each budget that was named
};

struct OverBudget {
    size_t scope = 0;
    size_t budget = 0;
    Money spent = {};
    Money reserved = {};
};

/// The answer to a SharedCall. Scopes are indexes into it.
struct SharedAnswer {
    std::vector<ScopeTotal> totals = {};   // admitted, when there is no refusal
    std::optional<RateRefusal> rate = {};  // its `scope` is not set,
    size_t rate_scope = 0;                 // but this
    std::vector<OverBudget> budgets = {};

    bool admitted() const { return !rate && budgets.empty(); }
};

/// What every command begins with.
struct BooksHeader {
    std::string script = {};  // its SHA-1
    std::string prefix = {};
    std::string who = {};
    int64_t not_later_than_us = 0;
    int64_t replicas = 1;
};

std::vector<std::string> admit_words(const BooksHeader& header, const SharedCall& call);
std::vector<std::string> finish_words(const BooksHeader& header, const SharedEnd& end);
std::vector<std::string> replace_words(const BooksHeader& header,
                                       const std::vector<SharedUse>& uses);
std::vector<std::string> join_words(const BooksHeader& header, const std::string& run,
                                    Duration uptime, Duration age, bool knows_all);
/// "beat", "leave".
std::vector<std::string> plain_words(const BooksHeader& header, std::string_view command);

/// The first word of an answer and what follows: "yes", "wait", "late", "join", "rate", "budget".
struct BooksReply {
    std::string word = {};
    int64_t now_us = 0;  // by Redis' clock
    std::vector<RedisValue> rest = {};
};
Result<BooksReply> read_reply(RedisValue value);

Result<SharedAnswer> read_answer(const BooksReply& reply, const SharedCall& call);
Result<std::vector<ScopeTotal>> read_totals(const BooksReply& reply, const SharedEnd& end);

}  // namespace brigada
