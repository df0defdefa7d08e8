#include "gateway/spend_logs.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>

#include "base/concat.h"
#include "gateway/directory/time_text.h"
#include "gateway/spend_span.h"

namespace brigada {

namespace {

constexpr Duration kPatience = Duration::seconds(1);
constexpr size_t kUsualLimit = 1'000, kMostRows = 10'000;

/// Which calls are wanted; an empty text lets all through.
struct WantedCalls {
    CallSpan span = {};
    std::optional<RecordId> id = {};
    std::string key = {};
    std::string user = {};
    std::string team = {};
    std::string session = {};
    size_t limit = kUsualLimit;
    bool summarize = false;

    bool takes(const CallRecord& call) const {
        const auto fits = [](const std::string& wanted, const std::string& has) {
            return wanted.empty() || wanted == has;
        };
        return (!id || *id == call.id) && fits(key, call.key) && fits(user, call.user) &&
               fits(team, call.team) && (fits(session, call.session) || is_child(call));
    }

    /// Of a sub-agent of the session.
    bool is_child(const CallRecord& call) const {
        return call.session.starts_with(session) && call.session[session.size()] == '/';
    }
};

// --- the query --------------------------------------------------------------------------------

Result<size_t> read_limit(const Query& query) {
    const std::string_view text = value_of(query, "limit");
    if (text.empty()) return kUsualLimit;
    size_t out = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (failed == std::errc() && end == text.data() + text.size() && out >= 1 && out <= kMostRows)
        return out;
    return Error{Code::invalid_argument,
                 concat("limit: must be a number from 1 to ", kMostRows, "; got '", text, "'")};
}

Result<bool> read_summarize(const Query& query) {
    const std::string_view text = value_of(query, "summarize");
    const bool has_dates = query.contains("start_date") || query.contains("end_date");
    if (text.empty()) return has_dates && !query.contains("request_id");
    if (text == "true" || text == "True") return true;
    if (text == "false" || text == "False") return false;
    return Error{Code::invalid_argument,
                 concat("summarize: must be true or false; got '", text, "'")};
}

/// One call by its id, which says from when on to look.
Result<void> read_request_id(const Query& query, WantedCalls& wanted) {
    const std::string_view text = value_of(query, "request_id");
    if (text.empty()) return {};
    wanted.id = RecordId::from_hex(text);
    if (!wanted.id)
        return Error{Code::invalid_argument,
                     "request_id: must be 32 hex digits, as x-litellm-call-id has them"};
    if (!query.contains("start_date") && !query.contains("end_date"))
        wanted.span = {.from = {static_cast<int64_t>(wanted.id->time_ns)}};
    return {};
}

std::string key_token(const Directory& directory, std::string_view sent) {
    if (!sent.starts_with("sk-")) return std::string(sent);
    const Key* key = directory.find_key(sent);
    return key ? key->id : "no such key";
}

Result<WantedCalls> read_wanted(const Directory& directory, const Query& query) {
    WantedCalls out{.key = key_token(directory, value_of(query, "api_key")),
                    .user = std::string(value_of(query, "user_id")),
                    .team = std::string(value_of(query, "team_id")),
                    .session = std::string(value_of(query, "session_id"))};
    TRY(out.span, spend_span(query, WallClock().now()));
    TRY(read_request_id(query, out));
    TRY(out.limit, read_limit(query));
    TRY(out.summarize, read_summarize(query));
    return out;
}

// --- rows -------------------------------------------------------------------------------------

double dollars(Money money) {
    return static_cast<double>(money.nano) / 1e9;
}

Json attempts_json(const CallRecord& call) {
    Json out = Json::array();
    for (const CallAttempt& attempt : call.attempts)
        out.push_back({{"upstream", attempt.upstream},
                       {"status", to_string(attempt.status)},
                       {"http_status", attempt.http_status}});
    return out;
}

Json row_json(const CallRecord& call) {
    const Usage& usage = call.usage;
    const int64_t prompt = usage.input + usage.cached_input + usage.cache_write;
    const bool sent = call.first_byte != WallTime{};
    return {
        {"request_id", call.id.hex()},
        {"call_type", call.dialect},
        {"api_key", call.key},
        {"spend", dollars(call.cost)},
        {"total_tokens", prompt + usage.output},
        {"prompt_tokens", prompt},
        {"completion_tokens", usage.output},
        {"startTime", iso_text(call.started)},
        {"endTime", iso_text(call.ended)},
        {"completionStartTime", sent ? Json(iso_text(call.first_byte)) : Json()},
        {"request_duration_ms", std::max<int64_t>((call.ended - call.started).ns(), 0) / 1'000'000},
        {"model", call.model_served},
        {"model_group", call.model_asked},
        {"model_id", call.upstream},
        {"user", call.user},
        {"team_id", call.team},
        {"organization_id", call.organisation},
        {"end_user", call.end_user},
        {"session_id", call.session},
        {"status", to_string(call.status)},
        {"request_tags", call.tags},
        {"metadata",
         {{"http_status", call.http_status},
          {"cached_input_tokens", usage.cached_input},
          {"cache_write_tokens", usage.cache_write},
          {"usage_counted_here", call.usage_counted_here},
          {"rates_pico_dollars",
           {{"input", call.rates.input},
            {"cached_input", call.rates.cached_input},
            {"cache_write", call.rates.cache_write},
            {"output", call.rates.output},
            {"request", call.fee}}},
          {"attempts", attempts_json(call)}}}};
}

Result<Json> rows(const Ledger& ledger, const WantedCalls& wanted) {
    std::deque<CallRecord> last;
    TRY(ledger.each_call(wanted.span, [&](const CallRecord& call) -> Result<void> {
        if (!wanted.takes(call)) return {};
        last.push_back(call);
        if (last.size() > wanted.limit) last.pop_front();
        return {};
    }));
    Json out = Json::array();
    for (auto call = last.rbegin(); call != last.rend(); ++call)
        out.push_back(row_json(*call));
    return out;
}

// --- days -------------------------------------------------------------------------------------

struct Day {
    Money spend = {};
    std::map<std::string, Money> users = {};
    std::map<std::string, Money> models = {};
};

Json sums_json(const std::map<std::string, Money>& sums) {
    Json out = Json::object();
    for (const auto& [name, spend] : sums)
        out[name] = dollars(spend);
    return out;
}

Result<Json> days(const Ledger& ledger, const WantedCalls& wanted) {
    constexpr size_t kDayText = std::string_view("2026-03-01").size();
    std::map<std::string, Day> by_day;
    TRY(ledger.each_call(wanted.span, [&](const CallRecord& call) -> Result<void> {
        if (!wanted.takes(call)) return {};
        Day& day = by_day[iso_text(call.ended).substr(0, kDayText)];
        day.spend += call.cost;
        day.users[call.user] += call.cost;
        day.models[call.model_asked] += call.cost;
        return {};
    }));
    Json out = Json::array();
    for (const auto& [name, day] : by_day)
        out.push_back({{"startTime", name},
                       {"spend", dollars(day.spend)},
                       {"users", sums_json(day.users)},
                       {"models", sums_json(day.models)}});
    return out;
}

}  // namespace

Task<Result<Json>> spend_logs(Gateway& gateway, Query query) {
    CO_TRY(const WantedCalls wanted, read_wanted(gateway.directory(), query));
    Ledger& ledger = gateway.ledger();
    co_return co_await gateway.reports().run<Json>(gateway.loop(), [wanted, &ledger] {
        (void)ledger.flush(kPatience);  // what still waits is missing then, and nothing else
        return wanted.summarize ? days(ledger, wanted) : rows(ledger, wanted);
    });
}

}  // namespace brigada
