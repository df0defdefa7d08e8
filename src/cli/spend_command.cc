// brigada spend: what calls through a gateway cost: by holder, by day, or one by one.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <ranges>

#include "base/concat.h"
#include "base/joined.h"
#include "base/money.h"
#include "cli/commands.h"
#include "cli/manage/name_book.h"
#include "cli/manage/show.h"
#include "cli/manage/span_words.h"
#include "cli/text_table.h"

namespace brigada {

namespace {

struct SpendWords {
    std::string url;
    bool json = false;
    std::string by = "team";
    SpanWords span;
    std::string key, team, user, session;
    int64_t limit = 50;
};

struct Grouping {
    const char* word;
    const char* api;
};

constexpr Grouping kGroupings[] = {{"team", "team"},   {"key", "api_key"},
                                   {"user", "user"},   {"customer", "customer"},
                                   {"model", "model"}, {"org", "organization"}};

Result<std::string> group_by(const std::string& word) {
    for (const Grouping& one : kGroupings)
        if (one.word == word) return std::string(one.api);
    const auto all = joined(kGroupings | std::views::transform(&Grouping::word));
    return Error{Code::invalid_argument, concat("--by wants one of ", all, ", not '", word, "'")};
}

// --- by holder --------------------------------------------------------------------------------

constexpr const char* kCounts[] = {"calls", "input_tokens", "cached_input_tokens",
                                   "cache_write_tokens", "output_tokens"};

int64_t whole_of(const Json& row, const char* field) {
    const auto found = row.find(field);
    return found != row.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

std::string who(const Json& row) {
    const std::string alias = text_of(row, "alias");
    const std::string id = text_of(row, "holder");
    return !alias.empty() ? alias : id.empty() ? "(none)" : id;
}

void print_sums(const std::string& title, std::vector<Json> rows) {
    std::ranges::sort(rows, [](const Json& a, const Json& b) {
        const int64_t more = whole_of(a, "spend_nano_dollars") - whole_of(b, "spend_nano_dollars");
        return more != 0 ? more > 0 : who(a) < who(b);
    });
    TextTable table({{title},
                     {"CALLS", true},
                     {"INPUT", true},
                     {"CACHED", true},
                     {"WRITTEN", true},
                     {"OUTPUT", true},
                     {"DOLLARS", true}});
    std::array<int64_t, std::size(kCounts)> sums{};
    Money spent;
    for (const Json& row : rows) {
        std::vector<std::string> cells{who(row)};
        for (size_t i = 0; i < sums.size(); ++i) {
            sums[i] += whole_of(row, kCounts[i]);
            cells.push_back(grouped(whole_of(row, kCounts[i])));
        }
        spent += Money{whole_of(row, "spend_nano_dollars")};
        cells.push_back(decimal_dollars({whole_of(row, "spend_nano_dollars")}));
        table.add(std::move(cells));
    }
    std::vector<std::string> total{"in all"};
    for (const int64_t sum : sums)
        total.push_back(grouped(sum));
    total.push_back(decimal_dollars(spent));
    table.add(std::move(total));
    std::cout << table.text(terminal_width());
}

Result<void> report(const SpendWords& words) {
    TRY(ApiQuery query, span_query(words.span, WallClock().now()));
    TRY(query["group_by"], group_by(words.by));
    TRY(GatewayApi api, GatewayApi::open(words.url, environment_of_process));
    TRY(const Json answer, api.get("/global/spend/report", query));
    if (words.json) {
        print_json(answer);
        return {};
    }
    std::string title = words.by;
    std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
    print_sums(title, {answer.begin(), answer.end()});
    return {};
}

// --- calls and days -----------------------------------------------------------------------------

Result<std::string> id_of(NameBook& names, std::string_view command, const std::string& word) {
    if (word.empty()) return std::string();
    return names.id_of(command, word);
}

Result<ApiQuery> filters(const SpendWords& words, NameBook& names) {
    TRY(ApiQuery query, span_query(words.span, WallClock().now()));
    TRY(query["api_key"], id_of(names, "keys", words.key));
    TRY(query["team_id"], id_of(names, "teams", words.team));
    TRY(query["user_id"], id_of(names, "users", words.user));
    query["session_id"] = words.session;
    return query;
}

std::string count_cell(const Json& row, const char* field) {
    return grouped(whole_of(row, field));
}

void print_calls(const Json& rows, NameBook& names) {
    TextTable table({{"ENDED"},
                     {"MODEL"},
                     {"STATUS"},
                     {"TEAM"},
                     {"USER"},
                     {"UPSTREAM"},
                     {"PROMPT", true},
                     {"CACHED", true},
                     {"OUTPUT", true},
                     {"MS", true},
                     {"DOLLARS", true}});
    for (const Json& row : rows)
        table.add({text_of(row, "endTime"), text_of(row, "model_group"), text_of(row, "status"),
                   names.name_of("team_id", text_of(row, "team_id")), text_of(row, "user"),
                   text_of(row, "model_id"), count_cell(row, "prompt_tokens"),
                   count_cell(row.value("metadata", Json::object()), "cached_input_tokens"),
                   count_cell(row, "completion_tokens"), count_cell(row, "request_duration_ms"),
                   dollars_text(row.value("spend", Json()))});
    std::cout << table.text(terminal_width());
}

Result<void> calls(const SpendWords& words) {
    TRY(GatewayApi api, GatewayApi::open(words.url, environment_of_process));
    NameBook names(api);
    TRY(ApiQuery query, filters(words, names));
    query["summarize"] = "false";
    query["limit"] = std::to_string(words.limit);
    TRY(const Json answer, api.get("/spend/logs", query));
    if (words.json)
        print_json(answer);
    else if (answer.empty())
        std::cout << "no calls\n";
    else
        print_calls(answer, names);
    return {};
}

Result<void> days(const SpendWords& words) {
    TRY(GatewayApi api, GatewayApi::open(words.url, environment_of_process));
    NameBook names(api);
    TRY(ApiQuery query, filters(words, names));
    query["summarize"] = "true";
    TRY(const Json answer, api.get("/spend/logs", query));
    if (words.json) {
        print_json(answer);
        return {};
    }
    TextTable table({{"DAY"}, {"USERS", true}, {"MODELS", true}, {"DOLLARS", true}});
    for (const Json& day : answer)
        table.add({text_of(day, "startTime"), std::to_string(day.value("users", Json()).size()),
                   std::to_string(day.value("models", Json()).size()),
                   dollars_text(day.value("spend", Json()))});
    std::cout << (table.empty() ? "no calls\n" : table.text(terminal_width()));
    return {};
}

// --- how they are called ------------------------------------------------------------------------

using Words = std::shared_ptr<SpendWords>;

std::pair<CLI::App*, Words> add(CLI::App& group, Action& action, const char* name,
                                const char* about, Result<void> (*run)(const SpendWords&)) {
    CLI::App* command = group.add_subcommand(name, about);
    const auto words = std::make_shared<SpendWords>();
    command->add_option("--since", words->span.since, "24h, 7d, 1mo or a day; else 30 days")
        ->type_name("TIME");
    command->add_option("--until", words->span.until, "a day, included; else now")
        ->type_name("DAY");
    command->add_option("--url", words->url, "of the gateway")->type_name("URL");
    command->add_flag("--json", words->json, "the API's answer, for machines");
    command->callback([&action, run, words] { action = [run, words] { return run(*words); }; });
    return {command, words};
}

void takes_filters(CLI::App* command, const Words& words) {
    command->add_option("--key", words->key, "only its calls")->type_name("KEY");
    command->add_option("--team", words->team, "only its calls")->type_name("TEAM");
    command->add_option("--user", words->user, "only its calls")->type_name("USER");
    command->add_option("--session", words->session, "only its calls and its sub-agents'")
        ->type_name("SESSION");
}

}  // namespace

void add_spend_command(CLI::App& app, Action& action) {
    CLI::App* group = app.add_subcommand("spend", "what calls through a gateway cost");
    group->require_subcommand(1);
    const auto [by, by_words] = add(*group, action, "report", "sums by holder", report);
    by->add_option("--by", by_words->by, "team, key, user, customer, model or org")
        ->type_name("KIND");
    const auto [each, each_words] = add(*group, action, "calls", "the last calls", calls);
    takes_filters(each, each_words);
    each->add_option("--limit", each_words->limit, "calls at most")
        ->type_name("N")
        ->check(CLI::Range(1, 10'000));
    const auto [by_day, day_words] = add(*group, action, "days", "sums by day", days);
    takes_filters(by_day, day_words);
}

}  // namespace brigada
