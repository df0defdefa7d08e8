// The commands of calls: `admit` asks for all scopes at once, `finish` says what became of it.
#include "gateway/shared/script_parts.h"

namespace brigada {

const std::string_view kCallsScript = R"lua(
local function admit()
    mine.beat = now
    write_mine()
    look_around()
    local tokens, cost, scopes, broke = number(), number(), {}, {'budget', now, there}
    for s = 1, number() do
        local scope = {name = text(), accounts = {}}
        scope.limits = {requests = number(), tokens = number(), running = number()}
        look(scope)
        for i = 1, number() do
            local a = read_account(scope.name)
            a.limit = number()
            scope.accounts[i] = a
            if over_budget(scope, a, cost) then
                for _, v in ipairs({s - 1, i - 1, a.earlier + a.since, scope.used.money}) do
                    broke[#broke + 1] = v
                end
            end
        end
        scopes[s] = scope
    end
    if #broke > 3 then return broke end

    local worst
    local function keep_worst(s, refused)
        if refused and (not worst or refused.wait > worst.wait) then
            worst = refused
            worst.scope = s - 1
        end
    end
    for s, scope in ipairs(scopes) do
        keep_worst(s, refusal(scope, 0, 'requests', 1))
        keep_worst(s, refusal(scope, 1, 'tokens', tokens))
        keep_worst(s, refusal(scope, 2, 'running', 1))
    end
    if worst then
        local never = worst.wait == NEVER
        return {'rate', now, there, worst.scope, worst.kind, worst.limit, worst.left,
                never and 1 or 0, never and 0 or worst.wait}
    end

    local reply = {'yes', now, there}
    local function say(v) reply[#reply + 1] = v end
    for _, scope in ipairs(scopes) do
        say(add(scope.mine, 1, tokens))
        scope.mine.running, scope.mine.money = scope.mine.running + 1, scope.mine.money + cost
        save(scope.mine)
        say(scope.used.requests + 1 + kept_free(scope.limits.requests, scope.gone.requests))
        say(scope.used.tokens + tokens + kept_free(scope.limits.tokens, scope.gone.tokens))
        say(scope.used.money - scope.mine.money + cost)
        for _, a in ipairs(scope.accounts) do
            say(a.earlier)
            say(a.since)
        end
    end
    return reply
end

-- A call has ended: takes back what it was estimated too high, or all of it. An entry below 0 is
-- not known here any more: what it was too low counts from now.
local function finish()
    look_around()
    local requests, tokens, money = number(), number(), number()
    local reply = {'yes', now, there}
    for s = 1, number() do
        local name, id = text(), number()
        local use = read(name, mine)
        if id >= use.first and id < use.next then
            change(use, id, requests, tokens)
        elseif id < 0 and tokens > 0 then
            add(use, 0, tokens)
        end
        use.running = math.max(use.running - 1, 0)
        use.money = math.max(use.money - money, 0)
        save(use)
        reply[#reply + 1] = 0
        for _, one in ipairs(them) do
            if one ~= mine then reply[#reply] = reply[#reply] + read(name, one).money end
        end
        for i = 1, number() do
            local a, cost = read_account(name), number()
            if not spent(a) then
                a.since = redis.call('HINCRBY', a.key, 'since', cost)
                redis.call('HINCRBY', a.key, 'of:' .. me, cost)
            end
            reply[#reply + 1] = a.earlier
            reply[#reply + 1] = a.since
        end
    end
    return reply
end
)lua";

}  // namespace brigada
