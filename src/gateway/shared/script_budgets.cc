// What a budget's window has spent, in a hash of its own, and whether a call fits into what is
// left.
#include "gateway/shared/script_parts.h"

namespace brigada {

const std::string_view kBudgetsScript = R"lua(
local function read_account(holder)
    local a = {name = text(), earlier = number(), agreed = number() == 1, own = number(),
               ttl = number()}
    a.key = prefix .. 'spent:' .. holder .. ':' .. a.name
    return a
end

-- What was spent before anybody counted here, and since. The first who asks says both.
local function spent(a)
    local v = redis.call('HMGET', a.key, 'earlier', 'since')
    if v[1] then
        a.earlier, a.since = tonumber(v[1]), tonumber(v[2])
        return false
    end
    a.since = a.own
    redis.call('HSET', a.key, 'earlier', a.earlier, 'since', a.own, 'of:' .. me, a.own)
    redis.call('PEXPIRE', a.key, a.ttl)
    return true
end

local function over_budget(scope, a, cost)
    spent(a)
    if a.limit < 0 then return false end
    local all = a.earlier + a.since
    local left = a.limit - all - scope.used.money
    local share = math.floor(math.max(left, 0) / math.max(replicas, there))
    return all >= a.limit or cost > left - share * math.max(replicas - there, 0)
end
)lua";

}  // namespace brigada
