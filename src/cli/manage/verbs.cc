#include "cli/manage/verbs.h"

#include <iostream>

#include "base/concat.h"
#include "base/joined.h"
#include "cli/manage/show.h"

namespace brigada {

namespace {

/// The gateway, what it knows by name, and the noun of one command.
struct Visit {
    const Noun& noun;
    GatewayApi api;
    NameBook names{api};

    explicit Visit(const ManageWords& words, GatewayApi gateway)
        : noun(*words.noun), api(std::move(gateway)) {}

    std::string path(std::string_view verb) const { return concat(noun.route, "/", verb); }
    Result<std::string> id_of(const std::string& word) { return names.id_of(noun.command, word); }
};

Result<std::unique_ptr<Visit>> visit(const ManageWords& words) {
    TRY(GatewayApi api, GatewayApi::open(words.url, environment_of_process));
    return std::make_unique<Visit>(words, std::move(api));
}

/// The record inside an answer: in "data" of an update, else the answer itself.
const Json& record_in(const Json& answer) {
    const auto data = answer.find("data");
    return data != answer.end() && data->is_object() ? *data : answer;
}

void tell(const ManageWords& words, const Json& answer, NameBook& names) {
    print_warnings(answer);
    if (words.json) return print_json(answer);
    Json record = record_in(answer);
    record.erase("warnings");
    print_fields(record, names);
}

/// The text of a new key alone on standard output, so that a script can take it.
void tell_secret(const ManageWords& words, const Json& answer) {
    print_warnings(answer);
    if (words.json) return print_json(answer);
    std::cerr << concat("its text, shown this once (token ", text_of(answer, "token").substr(0, 12),
                        "):\n");
    std::cout << text_of(answer, "key") << '\n';
}

/// Whether a record has what the filters ask for.
bool fits(const Json& record, const Json& filters) {
    for (const auto& [field, wanted] : filters.items())
        if (record.value(field, Json()) != wanted) return false;
    return true;
}

Result<void> post_about(const ManageWords& words, std::string_view verb) {
    TRY(const auto call, visit(words));
    TRY(const std::string id, call->id_of(words.names.front()));
    const char* field = call->noun.is_secret ? "key" : call->noun.id;
    TRY(const Json answer, call->api.post(call->path(verb), {{field, id}}));
    tell(words, answer, call->names);
    return {};
}

/// The tables below a record: its keys.
void print_below(const Json& answer, NameBook& names) {
    const auto keys = answer.find("keys");
    if (keys == answer.end() || !keys->is_array() || keys->empty()) return;
    std::cout << '\n';
    print_table(noun_of("keys"), std::vector<Json>(keys->begin(), keys->end()), names);
}

}  // namespace

Result<void> list_records(const ManageWords& words) {
    TRY(const auto call, visit(words));
    TRY(const Json filters, body_of(words.body, call->names));
    TRY(const Register* all, call->names.of(call->noun.command));
    std::vector<Json> wanted;
    for (const Json& record : all->records())
        if (fits(record, filters)) wanted.push_back(record);
    if (words.json)
        print_json(Json(wanted));
    else if (wanted.empty())
        std::cout << "no " << call->noun.command << '\n';
    else
        print_table(call->noun, wanted, call->names);
    return {};
}

Result<void> show_record(const ManageWords& words) {
    TRY(const auto call, visit(words));
    TRY(const Register* all, call->names.of(call->noun.command));
    TRY(const Json listed, all->find(words.names.front()));
    Json answer = listed;
    if (*call->noun.info_query != '\0') {
        TRY(answer,
            call->api.get(call->path("info"), {{call->noun.info_query, all->id_of(listed)}}));
    }
    if (words.json) {
        print_json(answer);
        return {};
    }
    const bool is_inside = *call->noun.info != '\0' && answer.contains(call->noun.info);
    print_fields(is_inside ? answer[call->noun.info] : answer, call->names);
    print_below(answer, call->names);
    return {};
}

Result<void> create_record(const ManageWords& words) {
    TRY(const auto call, visit(words));
    TRY(Json body, body_of(words.body, call->names));
    if (!words.names.empty()) body[call->noun.name_field] = words.names.front();
    const bool has_first_key = std::string_view(call->noun.command) == "users";
    if (has_first_key && !body.contains("auto_create_key")) body["auto_create_key"] = false;
    TRY(const Json answer, call->api.post(call->path(call->noun.create), body));
    if (call->noun.is_secret)
        tell_secret(words, answer);
    else
        tell(words, answer, call->names);
    return {};
}

Result<void> update_record(const ManageWords& words) {
    TRY(const auto call, visit(words));
    TRY(const std::string id, call->id_of(words.names.front()));
    TRY(Json body, body_of(words.body, call->names));
    if (!words.new_name.empty()) body[call->noun.alias] = words.new_name;
    if (body.empty())
        return Error{Code::invalid_argument,
                     concat("nothing to change; brigada ", call->noun.command,
                            " update --help lists what can be said")};
    body[call->noun.is_secret ? "key" : call->noun.id] = id;
    TRY(const Json answer, call->api.post(call->path("update"), body));
    tell(words, answer, call->names);
    return {};
}

Result<void> delete_records(const ManageWords& words) {
    TRY(const auto call, visit(words));
    std::vector<std::string> ids;
    for (const std::string& name : words.names) {
        TRY(std::string id, call->id_of(name));
        ids.push_back(std::move(id));
    }
    Json answer;
    if (call->noun.erases_one) {
        for (const std::string& id : ids) {
            TRY(answer, call->api.post(call->path("delete"), {{call->noun.erase, id}}));
        }
    } else {
        TRY(answer, call->api.post(call->path("delete"), {{call->noun.erase, ids}}));
    }
    if (words.json)
        print_json(answer);
    else
        std::cout << "deleted " << joined(words.names) << "\n";
    return {};
}

Result<void> block_record(const ManageWords& words) {
    return post_about(words, "block");
}

Result<void> unblock_record(const ManageWords& words) {
    return post_about(words, "unblock");
}

Result<void> rotate_key(const ManageWords& words) {
    TRY(const auto call, visit(words));
    TRY(const std::string id, call->id_of(words.names.front()));
    Json body = {{"key", id}};
    if (!words.grace.empty()) body["grace_period"] = words.grace;
    TRY(const Json answer, call->api.post(call->path("regenerate"), body));
    tell_secret(words, answer);
    if (const std::string until = text_of(answer, "previous_key_until"); !until.empty())
        std::cerr << "the old text works until " << until << '\n';
    return {};
}

Result<void> add_member(const ManageWords& words) {
    TRY(const auto call, visit(words));
    TRY(const std::string team, call->id_of(words.names.at(0)));
    TRY(const std::string user, call->names.id_of("users", words.names.at(1)));
    Json body = {{"team_id", team}, {"member", {{"user_id", user}, {"role", words.role}}}};
    TRY(const Json limits, body_of(words.body, call->names));
    body.update(limits);
    TRY(const Json answer, call->api.post(call->path("member_add"), body));
    tell(words, answer, call->names);
    return {};
}

Result<void> remove_member(const ManageWords& words) {
    TRY(const auto call, visit(words));
    TRY(const std::string team, call->id_of(words.names.at(0)));
    TRY(const std::string user, call->names.id_of("users", words.names.at(1)));
    TRY(const Json answer,
        call->api.post(call->path("member_delete"), {{"team_id", team}, {"user_id", user}}));
    tell(words, answer, call->names);
    return {};
}

}  // namespace brigada
