// brigada keys, teams, users, orgs, budgets: who may call a gateway, with what, within which
// limits.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/manage/verbs.h"

namespace brigada {

namespace {

constexpr const char* kFooter =
    "The gateway is where --url or BRIGADA_URL says, else at http://127.0.0.1:4000. The master "
    "key\n"
    "comes from BRIGADA_MASTER_KEY or LITELLM_MASTER_KEY of the environment.";
constexpr const char* kBodyFooter =
    "The word none clears a field. --set takes any other field of the API: --set "
    "'metadata={\"a\":1}'.";

/// The words of one command; its parser owns them.
using Words = std::shared_ptr<ManageWords>;

struct Group {
    CLI::App& app;
    Action& action;
    const Noun& noun;

    /// A command with what all of them take.
    std::pair<CLI::App*, Words> add(const char* name, const std::string& about, Verb run) const {
        CLI::App* command = app.add_subcommand(name, about);
        const auto words = std::make_shared<ManageWords>();
        words->noun = &noun;
        command->add_option("--url", words->url, "of the gateway")->type_name("URL");
        command->add_flag("--json", words->json, "the API's answer, for machines");
        command->footer(kFooter);
        Action& chosen = action;
        command->callback([&chosen, run, words] { chosen = [run, words] { return run(*words); }; });
        return {command, words};
    }
};

void takes_names(CLI::App* command, const Words& words, const char* what, int least, int most) {
    command->add_option("which", words->names, what)
        ->type_name("NAME")
        ->expected(least, most)
        ->required(least > 0);
}

void takes_options(CLI::App* command, const Words& words, std::span<const OptionDoc> options) {
    for (const OptionDoc& option : options)
        command->add_option(option.name, words->body.given[&option], option.about)
            ->type_name(option.type);
}

void takes_body(CLI::App* command, const Words& words) {
    takes_options(command, words, words->noun->options);
    takes_options(command, words, limit_options());
    command->add_option("--set", words->body.set, "any field of the body, as often as needed")
        ->type_name("FIELD=VALUE");
    command->footer(concat(kBodyFooter, "\n\n", kFooter));
}

bool is_about_others(const OptionDoc& option) {
    return option.kind == OptionKind::team || option.kind == OptionKind::user ||
           option.kind == OptionKind::organisation;
}

constexpr const char* kWhich = "its name, its id, or the beginning of the id";

void add_list(const Group& group) {
    const auto [command, words] =
        group.add("list", concat("all ", group.noun.command), list_records);
    command->alias("ls");
    for (const OptionDoc& option : group.noun.options)
        if (is_about_others(option))
            command->add_option(option.name, words->body.given[&option], "only its own")
                ->type_name(option.type);
}

void add_create(const Group& group) {
    const auto [command, words] =
        group.add("create", concat("make a ", group.noun.one), create_record);
    takes_names(command, words, "what it shall be called", group.noun.is_secret ? 0 : 1, 1);
    takes_body(command, words);
}

void add_update(const Group& group) {
    const auto [command, words] =
        group.add("update", concat("change a ", group.noun.one), update_record);
    takes_names(command, words, kWhich, 1, 1);
    if (*group.noun.alias != '\0' && std::string_view(group.noun.command) != "users")
        command->add_option("--name", words->new_name, "another name")->type_name("NAME");
    takes_body(command, words);
}

void add_named(const Group& group, const char* name, const std::string& about, Verb run,
               int most = 1) {
    const auto [command, words] = group.add(name, about, run);
    takes_names(command, words, kWhich, 1, most);
}

void add_rotate(const Group& group) {
    const auto [command, words] = group.add("rotate", "give a key another text", rotate_key);
    takes_names(command, words, kWhich, 1, 1);
    command->add_option("--grace", words->grace, "for which the old text works, too: 1h, 7d")
        ->type_name("TIME");
}

constexpr OptionDoc kMemberOptions[] = {
    {"--max-budget", "max_budget_in_team", OptionKind::number, "DOLLARS", "of this member here"},
    {"--rpm", "rpm_limit", OptionKind::number, "N", "requests in every 60 seconds"},
    {"--tpm", "tpm_limit", OptionKind::number, "N", "tokens in every 60 seconds"},
};

void add_members(const Group& group) {
    const auto [add, words] = group.add("add-member", "make a user a member of a team", add_member);
    takes_names(add, words, "the team, then the user", 2, 2);
    words->role = "user";
    add->add_option("--role", words->role, "user or admin")->type_name("ROLE");
    takes_options(add, words, kMemberOptions);
    const auto [remove, gone] = group.add("remove-member", "end a membership", remove_member);
    takes_names(remove, gone, "the team, then the user", 2, 2);
}

void add_noun(CLI::App& app, Action& action, const Noun& noun) {
    CLI::App* commands = app.add_subcommand(noun.command, noun.about);
    commands->require_subcommand(1);
    const Group group{*commands, action, noun};
    add_list(group);
    add_named(group, "show", concat("all that is known of a ", noun.one), show_record);
    add_create(group);
    add_update(group);
    if (noun.is_secret) add_rotate(group);
    if (noun.can_block) {
        add_named(group, "block", "let nobody in with it", block_record);
        add_named(group, "unblock", "let it in again", unblock_record);
    }
    if (std::string_view(noun.command) == "teams") add_members(group);
    add_named(group, "delete", concat("delete ", noun.command), delete_records, 1'000);
}

}  // namespace

void add_manage_commands(CLI::App& app, Action& action) {
    for (const Noun& noun : nouns())
        add_noun(app, action, noun);
}

}  // namespace brigada
