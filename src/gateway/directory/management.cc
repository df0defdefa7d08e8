#include "gateway/directory/management.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "gateway/directory/desk.h"

namespace brigada {

namespace {

struct Found {
    const ManagementRoute* route = nullptr;
    std::string path_part;
    bool is_path = false;  // there is such a path, perhaps for another method
};

/// LiteLLM has two names for one noun.
std::string canonical(std::string_view path) {
    constexpr std::string_view kAlias = "/end_user/";
    return path.starts_with(kAlias) ? concat("/customer/", path.substr(kAlias.size()))
                                    : std::string(path);
}

auto all_routes() {
    return std::array{key_routes(),    team_routes(),         user_routes(),
                      budget_routes(), organisation_routes(), customer_routes()};
}

Found find_route(std::string_view method, std::string_view path) {
    const std::string wanted = canonical(path);
    Found found;
    for (const auto routes : all_routes())
        for (const ManagementRoute& route : routes) {
            const auto part = match_path(route.path, wanted);
            if (!part) continue;
            found.is_path = true;
            if (route.method != method || found.route) continue;
            found.route = &route;
            found.path_part = *part;
        }
    return found;
}

struct StatusAndType {
    int status;
    std::string_view type;
};

StatusAndType status_of(Code code) {
    switch (code) {
        case Code::invalid_argument:
        case Code::unsupported:
        case Code::too_large:
            return {400, "bad_request_error"};
        case Code::unauthenticated:
            return {401, "auth_error"};
        case Code::forbidden:
            return {403, "auth_error"};
        case Code::not_found:
            return {404, "not_found_error"};
        case Code::unavailable:
        case Code::io:
        case Code::deadline:
        case Code::exhausted:
            return {503, "no_db_connection"};
        default:
            return {500, "internal_server_error"};
    }
}

ManagementReply refused(int status, std::string_view type, std::string_view message) {
    return {.status = status, .body = error_envelope(status, type, message)};
}

/// "member.role" of "member.role: must be ..."; null for ordinary sentences.
Json leading_field(std::string_view message) {
    const size_t colon = message.find(": ");
    if (colon == std::string_view::npos || colon == 0) return {};
    const std::string_view field = message.substr(0, colon);
    return field.contains(' ') ? Json() : Json(field);
}

ManagementReply handle(Directory& directory, const ManagementCall& call) {
    if (!call.caller) return refused(401, "auth_error", "Management calls need the master key.");
    const Found found = find_route(call.method, call.path);
    if (!found.is_path) return refused(404, "not_found_error", "There is no such route.");
    if (!found.route) return refused(405, "bad_request_error", "This route takes another method.");
    if (!call.caller->admin && !found.route->is_open)
        return refused(403, "auth_error", "Only the master key may administer.");
    if (!call.body.is_null() && !call.body.is_object())
        return refused(400, "bad_request_error", "The body must be a JSON object.");

    Desk desk{.directory = directory, .call = call, .path_part = found.path_part};
    Result<Json> answer = found.route->handler(desk);
    if (!answer.ok()) {
        const auto [status, type] = status_of(answer.error().code);
        return refused(status, type, answer.error().message);
    }
    ManagementReply reply{.body = *std::move(answer), .changes = std::move(desk.changes)};
    if (!desk.warnings.empty() && reply.body.is_object()) reply.body["warnings"] = desk.warnings;
    return reply;
}

}  // namespace

Json error_envelope(int status, std::string_view type, std::string_view message) {
    return {{"error",
             {{"message", message},
              {"type", type},
              {"param", leading_field(message)},
              {"code", std::to_string(status)}}}};
}

std::vector<DocumentedRoute> documented_management_routes() {
    std::vector<DocumentedRoute> out;
    for (const auto routes : all_routes())
        for (const ManagementRoute& route : routes)
            out.push_back({route.method, std::string(route.path), &route.doc});
    return out;
}

bool is_management_path(std::string_view path) {
    return find_route("", path).is_path;
}

ManagementReply draft(Directory& directory, const ManagementCall& call) {
    ManagementReply reply;
    directory.draft([&] { reply = handle(directory, call); });
    return reply;
}

ManagementReply not_written(const Error& error) {
    const bool is_broken = error.code == Code::corrupt || error.code == Code::internal;
    return is_broken ? refused(500, "internal_server_error", error.message)
                     : refused(503, "no_db_connection", error.message);
}

ManagementReply overtaken() {
    return refused(409, "conflict",
                   "Other administrators keep changing what this was judged by; look again, then "
                   "repeat it.");
}

// --- desk ------------------------------------------------------------------------------------

std::string_view Desk::query(std::string_view name) const {
    const auto found = call.query.find(name);
    return found == call.query.end() ? std::string_view() : std::string_view(found->second);
}

Result<void> Desk::finish(const BodyReader& body) {
    for (std::string& warning : body.warnings())
        warnings.push_back(std::move(warning));
    return body.finish();
}

void Desk::did(Changes done) {
    changes.insert(changes.end(), std::make_move_iterator(done.begin()),
                   std::make_move_iterator(done.end()));
}

Result<std::string> required(BodyReader& body, std::string_view name) {
    std::string text;
    body.text(name, text);
    TRY(body.finish());
    if (!text.empty()) return text;
    return Error{Code::invalid_argument, concat(name, ": is missing; it is a string")};
}

Result<std::vector<std::string>> required_list(BodyReader& body, std::string_view name) {
    std::vector<std::string> list;
    body.texts(name, list);
    TRY(body.finish());
    if (!list.empty()) return list;
    return Error{Code::invalid_argument, concat(name, ": is missing; it is a list of strings")};
}

Json with_defaults(const Json& body, const Json& defaults) {
    Json all = body.is_null() ? Json::object() : body;
    for (const auto& [name, value] : defaults.items())
        if (!all.contains(name)) all[name] = value;
    return all;
}

Result<Page> page_of(const Desk& desk, size_t total) {
    constexpr size_t kMaxSize = 1'000, kMaxNumber = 1'000'000;
    Page page{.total = total};
    const auto read = [&](std::string_view name, size_t& to, size_t most) -> Result<void> {
        const std::string_view text = desk.query(name);
        if (text.empty()) return {};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
        if (error == std::errc() && end == text.data() + text.size() && to >= 1 && to <= most)
            return {};
        return Error{Code::invalid_argument, concat(name, ": must be a number from 1 to ", most,
                                                    "; got '", text.substr(0, 40), "'")};
    };
    TRY(read("page", page.number, kMaxNumber));
    TRY(read("size", page.size, kMaxSize));
    return page;
}

}  // namespace brigada
