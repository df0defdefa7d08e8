// The commands by which a replica comes, goes on and leaves: `join`, `replace`, `beat`, `leave`.
#include "gateway/shared/script_parts.h"

namespace brigada {

const std::string_view kMembersScript = R"lua(
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
)lua";

}  // namespace brigada
