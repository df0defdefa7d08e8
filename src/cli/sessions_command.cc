// brigada sessions: where a session's calls went, and why a prefix was not found.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "base/concat.h"
#include "cli/commands.h"
#include "cli/manage/name_book.h"
#include "cli/manage/show.h"
#include "cli/text_table.h"

namespace brigada {

namespace {

struct SessionWords {
    std::string url;
    bool json = false;
    std::string session;
    std::string team, org, user, key;
};

/// Whose session: sessions of different tenants may have one name.
Result<std::string> tenant_of(const SessionWords& words, NameBook& names) {
    const struct {
        const std::string& word;
        const char* command;
        const char* kind;
    } kinds[] = {{words.team, "teams", "team:"},
                 {words.org, "orgs", "organisation:"},
                 {words.user, "users", "user:"},
                 {words.key, "keys", "key:"}};
    for (const auto& [word, command, kind] : kinds) {
        if (word.empty()) continue;
        TRY(const std::string id, names.id_of(command, word));
        return kind + id;
    }
    return std::string();
}

std::string count_cell(const Json& call, const char* field) {
    const Json value = call.value(field, Json());
    return value.is_number_integer() ? grouped(value.get<int64_t>()) : "-";
}

void print_calls(const Json& calls) {
    TextTable table({{"AGO", true},
                     {"UPSTREAM"},
                     {"PROMPT", true},
                     {"EXPECTED", true},
                     {"CACHED", true},
                     {"LOST", true},
                     {"WHY"}});
    for (const Json& call : calls) {
        const Json miss = call.value("miss", Json::object());
        table.add({fmt::format("{:.0f} s", call.value("seconds_ago", 0.0)),
                   text_of(call, "upstream"), count_cell(call, "prompt_tokens_expected"),
                   count_cell(call, "cached_tokens_predicted"),
                   count_cell(call, "cached_tokens_reported"),
                   count_cell(miss, "lost_tokens_estimated"), text_of(miss, "cause")});
    }
    std::cout << table.text(terminal_width());
}

void print_session(const Json& session) {
    const std::string home = text_of(session, "upstream");
    std::cout << concat("lives at ", home.empty() ? "no upstream" : harmless(home), ", ",
                        session.value("calls_running", 0), " calls running\n\n");
    print_calls(session.value("calls", Json::array()));
}

Result<void> show_session(const SessionWords& words) {
    TRY(GatewayApi api, GatewayApi::open(words.url, environment_of_process));
    NameBook names(api);
    TRY(const std::string tenant, tenant_of(words, names));
    TRY(const Json answer,
        api.get(concat("/sessions/", percent_encoded(words.session)), {{"tenant", tenant}}));
    if (words.json) {
        print_json(answer);
        return {};
    }
    print_session(answer);
    for (const Json& child : answer.value("children", Json::array())) {
        std::cout << concat("\nsub-agent ", harmless(text_of(child, "agent")), "\n");
        print_session(child);
    }
    return {};
}

}  // namespace

void add_sessions_command(CLI::App& app, Action& action) {
    CLI::App* group = app.add_subcommand("sessions", "where sessions live, and what they lost");
    group->require_subcommand(1);
    CLI::App* show = group->add_subcommand("show", "a session call by call");
    const auto words = std::make_shared<SessionWords>();
    show->add_option("session", words->session, "as the agent names it")
        ->required()
        ->type_name("SESSION");
    show->add_option("--team", words->team, "whose key called")->type_name("TEAM");
    show->add_option("--org", words->org, "of a key without a team")->type_name("ORG");
    show->add_option("--user", words->user, "of a key without a team")->type_name("USER");
    show->add_option("--key", words->key, "of a key without team, organisation and user")
        ->type_name("KEY");
    show->add_option("--url", words->url, "of the gateway")->type_name("URL");
    show->add_flag("--json", words->json, "the API's answer, for machines");
    show->callback([&action, words] { action = [words] { return show_session(*words); }; });
}

}  // namespace brigada
