#include "gateway/shared/books_script.h"

namespace brigada {

// Times are microseconds of Redis' clock; they and money fit into the 53 bits of a Lua number.
// What one replica uses of one scope is a hash: entries by number from `first` up to `next`, each
// "last requests tokens" as in SlidingWindow (one's own up to OWN, then one for a GRAIN); their
// sums; `running` calls and the `money` they reserved. What a budget's window has spent is another.
// Names of keys are made here, so a Redis Cluster will not do.
std::string_view books_script() {
    return R"lua(
local prefix, command, me = KEYS[1], ARGV[1], ARGV[2]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if now > tonumber(ARGV[3]) then return {'late', now} end
local replicas = tonumber(ARGV[4])
local SPAN, GRAIN, OWN, GONE, DAY_MS = 60000000, 1000000, 128, 3000000, 86400000

local at = 4
local function text() at = at + 1 return ARGV[at] end
local function number() return tonumber(text()) end

-- --- replicas: "beat from joined" each; those silent for so long that nothing of theirs counts
-- --- any more are forgotten

local them, mine, there = {}, nil, 0
local table_key = prefix .. 'replicas'
local known = redis.call('HGETALL', table_key)
for i = 1, #known, 2 do
    local beat, from, joined = string.match(known[i + 1], '(%d+) (%d+) (%d)')
    local one = {id = known[i], beat = tonumber(beat), from = tonumber(from),
                 joined = joined == '1'}
    if now - one.beat >= SPAN + GONE then
        redis.call('HDEL', table_key, one.id)
    else
        them[#them + 1] = one
        if one.id == me then mine = one end
    end
end

local function write_mine()
    redis.call('HSET', table_key, me, string.format('%.0f %.0f %d', mine.beat, mine.from,
                                                    mine.joined and 1 or 0))
end

-- A replica heard of lately is `alive`. It `fills` its place once the process that had the place
-- before can have used nothing alone in the last minute.
local function look_around()
    for _, one in ipairs(them) do
        one.alive = now - one.beat < GONE
        one.seen = one.alive and math.min(now, one.beat) or now
        one.fills = now >= one.from
        if one.alive and one.fills then there = there + 1 end
    end
end

-- --- what one replica uses of one scope

local function entry(use, id)
    local packed = redis.call('HGET', use.key, id)
    local last, requests, tokens = string.match(packed, '(%d+) (%d+) (%d+)')
    return tonumber(last), tonumber(requests), tonumber(tokens)
end

local function write_entry(use, id, last, requests, tokens)
    redis.call('HSET', use.key, id, string.format('%.0f %.0f %.0f', last, requests, tokens))
end

local function save(use)
    redis.call('HSET', use.key, 'first', use.first, 'next', use.next, 'requests', use.requests,
               'tokens', use.tokens, 'began', use.began, 'running', use.running,
               'money', use.money)
    local held = use.running > 0 or use.money > 0
    redis.call('PEXPIRE', use.key, held and DAY_MS or (SPAN + 2 * GONE) / 1000)
end

-- An entry leaves 60 seconds after it came, and not before its replica was heard of since.
local function read(name, one)
    local use = {key = prefix .. 'use:' .. name .. ':' .. one.id}
    local v = redis.call('HMGET', use.key, 'first', 'next', 'requests', 'tokens', 'began',
                         'running', 'money')
    use.first, use.next = tonumber(v[1] or 0), tonumber(v[2] or 0)
    use.requests, use.tokens = tonumber(v[3] or 0), tonumber(v[4] or 0)
    use.began = tonumber(v[5] or 0)
    use.running, use.money = tonumber(v[6] or 0), tonumber(v[7] or 0)
    local old = use.first
    while use.first < use.next do
        local last, requests, tokens = entry(use, use.first)
        if last + SPAN > one.seen then break end
        redis.call('HDEL', use.key, use.first)
        use.first = use.first + 1
        use.requests, use.tokens = use.requests - requests, use.tokens - tokens
    end
    if use.first > old then
        redis.call('HSET', use.key, 'first', use.first, 'requests', use.requests,
                   'tokens', use.tokens)
    end
    return use
end

local function add(use, requests, tokens)
    local id, r, t = use.next, 0, 0
    if use.next - use.first < OWN or now - use.began >= GRAIN then
        use.next, use.began = id + 1, now
    else
        id = use.next - 1
        local _
        _, r, t = entry(use, id)
    end
    write_entry(use, id, now, r + requests, t + tokens)
    use.requests, use.tokens = use.requests + requests, use.tokens + tokens
    return id
end

local function change(use, id, requests, tokens)
    local last, r, t = entry(use, id)
    requests, tokens = math.max(requests, -r), math.max(tokens, -t)
    write_entry(use, id, last, r + requests, t + tokens)
    use.requests, use.tokens = use.requests + requests, use.tokens + tokens
end

-- --- what all use of one scope

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

-- --- budgets

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

-- --- commands

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

-- All that this replica uses of some scopes, instead of what is known of it.
local function replace()
    for s = 1, number() do
        local name = text()
        local use = {key = prefix .. 'use:' .. name .. ':' .. me, first = 0, requests = 0,
                     tokens = 0, began = 0, running = number(), money = number()}
        redis.call('DEL', use.key)
        use.next = number()
        for id = 0, use.next - 1 do
            use.began = now - number()
            local requests, tokens = number(), number()
            write_entry(use, id, use.began, requests, tokens)
            use.requests, use.tokens = use.requests + requests, use.tokens + tokens
        end
        save(use)
        for i = 1, number() do
            local a = read_account(name)
            local earlier = a.earlier
            if not spent(a) then
                local was = tonumber(redis.call('HGET', a.key, 'of:' .. me) or 0)
                redis.call('HINCRBY', a.key, 'since', a.own - was)
                redis.call('HSET', a.key, 'of:' .. me, a.own)
                if a.agreed and earlier > a.earlier then
                    redis.call('HSET', a.key, 'earlier', earlier)
                end
            end
        end
    end
    return {'yes', now}
end

local function join()
    local run, uptime, age, complete = text(), number(), number(), number() == 1
    if not mine then
        mine = {id = me, beat = 0}
        them[#them + 1] = mine
    end
    mine.from = complete and now or now - age + SPAN
    local function wait(why)
        mine.beat, mine.joined = now - GONE, false
        write_mine()
        return {'wait', now, why}
    end

    -- Another process of Redis: what the one before it had is lost, or not all there.
    local epoch, complete_key = prefix .. 'epoch', prefix .. 'complete'
    local v = redis.call('HMGET', epoch, 'run', 'began')
    local began = tonumber(v[2] or 0)
    if v[1] ~= run then
        began = v[1] and now or now - uptime
        redis.call('HSET', epoch, 'run', run, 'began', began)
        redis.call('DEL', complete_key)
    end

    -- Who fell silent before this replica began has perhaps died, and this one is in its place.
    for _, one in ipairs(them) do
        if one ~= mine and now - one.beat < GONE and one.beat < now - age then
            return wait('another replica has just fallen silent')
        end
    end
    if complete then redis.call('HSET', complete_key, me, now) end
    if now - began < SPAN then
        local fresh, said = 0, redis.call('HGETALL', complete_key)
        for i = 2, #said, 2 do
            if now - said[i] < GONE then fresh = fresh + 1 end
        end
        if fresh < replicas then return wait('Redis has just started') end
        redis.call('HSET', epoch, 'began', 0)
    end
    mine.beat, mine.joined = now, true
    write_mine()
    look_around()
    return {'yes', now, there}
end

local function beat()
    mine.beat = now
    write_mine()
    look_around()
    return {'yes', now, there}
end

local function leave()
    mine.beat, mine.joined = now - GONE, false
    write_mine()
    return {'yes', now}
end

if command == 'join' then return join() end
if command == 'replace' then return replace() end
if not (mine and mine.joined) then return {'join', now} end
return ({admit = admit, finish = finish, beat = beat, leave = leave})[command]()
)lua";
}

}  // namespace brigada
