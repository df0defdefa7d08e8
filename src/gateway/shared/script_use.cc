// What one replica uses of one scope: a hash of entries by number from `first` up to `next`, each
// "last requests tokens" as in SlidingWindow (one's own up to OWN, then one for a GRAIN), their
// sums, and `running` calls with the `money` they reserved.
#include "gateway/shared/script_parts.h"

namespace brigada {

const std::string_view kUseScript = R"lua(
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
)lua";

}  // namespace brigada
