// What all replicas use of one scope, what is kept free for those out of reach, and whether a call
// fits.
#include "gateway/shared/script_parts.h"

namespace brigada {

const std::string_view kLimitsScript = R"lua(
local function look(scope)
    scope.all, scope.gone = {}, {requests = {}, tokens = {}, running = {}}
    scope.used = {requests = 0, tokens = 0, running = 0, money = 0}
    for _, one in ipairs(them) do
        local use = read(scope.name, one)
        scope.all[#scope.all + 1] = use
        if one == mine then scope.mine = use end
        scope.used.requests = scope.used.requests + use.requests
        scope.used.tokens = scope.used.tokens + use.tokens
        scope.used.money = scope.used.money + use.money
        if one.alive then
            scope.used.running = scope.used.running + use.running
        elseif one.fills then
            table.insert(scope.gone.requests, use.requests)
            table.insert(scope.gone.tokens, use.tokens)
        end
    end
end

-- Of each replica out of reach its share, as far as it does not use it. Which of the gone ones
-- have died is not known: perhaps those that use most.
local function kept_free(limit, gone)
    local all, sum = math.max(replicas, there), 0
    local share = math.floor(limit / all)
    table.sort(gone)
    for i = 1, all - there do sum = sum + math.max(share - (gone[i] or 0), 0) end
    return sum
end

-- When `need` of what is used will have left, if nothing else comes.
local function wait_for(scope, kind, need)
    local heads, wait = {}, 0
    local function load(i, id)
        local use = scope.all[i]
        if id >= use.next then heads[i] = nil return end
        local last, requests, tokens = entry(use, id)
        heads[i] = {id = id, last = last, amount = kind == 'requests' and requests or tokens}
    end
    for i, use in ipairs(scope.all) do load(i, use.first) end
    while need > 0 do
        local oldest
        for i = 1, #scope.all do
            if heads[i] and (not oldest or heads[i].last < heads[oldest].last) then oldest = i end
        end
        if not oldest then return math.max(wait, GONE) end
        need = need - heads[oldest].amount
        wait = math.max(wait, heads[oldest].last + SPAN - now)
        load(oldest, heads[oldest].id + 1)
    end
    return wait
end

local NEVER = 2 ^ 52
local function refusal(scope, number_of_kind, kind, amount)
    local limit = scope.limits[kind]
    if limit < 0 then return nil end
    local left = limit - scope.used[kind] - kept_free(limit, scope.gone[kind])
    if amount <= left then return nil end
    local refused = {kind = number_of_kind, limit = limit, left = math.max(left, 0), wait = 0}
    if amount > limit then
        refused.wait = NEVER
    elseif kind ~= 'running' then
        refused.wait = wait_for(scope, kind, amount - left)
    end
    return refused
end
)lua";

}  // namespace brigada
