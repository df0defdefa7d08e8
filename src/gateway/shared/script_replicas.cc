// What every command begins with: its arguments, and the replicas that there are, each "beat from
// joined" in one hash.
#include "gateway/shared/script_parts.h"

namespace brigada {

const std::string_view kReplicasScript = R"lua(
local prefix, command, me = KEYS[1], ARGV[1], ARGV[2]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if now > tonumber(ARGV[3]) then return {'late', now} end
local replicas = tonumber(ARGV[4])
local SPAN, GRAIN, OWN, GONE, DAY_MS = 60000000, 1000000, 128, 3000000, 86400000

local at = 4
local function text() at = at + 1 return ARGV[at] end
local function number() return tonumber(text()) end

-- Those silent for so long that nothing of theirs counts any more are forgotten.

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
)lua";

}  // namespace brigada
