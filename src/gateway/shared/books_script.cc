#include "gateway/shared/books_script.h"

#include "base/concat.h"
#include "gateway/shared/script_parts.h"

namespace brigada {

namespace {

/// Who is not in must join first.
constexpr std::string_view kDispatch = R"lua(
if command == 'join' then return join() end
if command == 'replace' then return replace() end
if not (mine and mine.joined) then return {'join', now} end
return ({admit = admit, finish = finish, beat = beat, leave = leave})[command]()
)lua";

}  // namespace

const std::string& books_script() {
    static const std::string script =
        concat(kReplicasScript, kUseScript, kLimitsScript, kBudgetsScript, kCallsScript,
               kMembersScript, kDispatch);
    return script;
}

}  // namespace brigada
