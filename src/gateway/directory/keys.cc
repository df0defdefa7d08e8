// /key: made, changed, shown, listed, blocked, rotated and deleted.
#include <algorithm>

#include "gateway/directory/desk.h"
#include "gateway/directory/litellm_fields.h"
#include "gateway/directory/time_text.h"

namespace brigada {

namespace {

/// By what a caller sends for a key: its text, or the token that stands for it. The answer never
/// repeats either.
Result<const Key*> find_sent(const Desk& desk, std::string_view sent) {
    const Key* key =
        sent.starts_with("sk-") ? desk.directory.find_key(sent) : desk.directory.find<Key>(sent);
    if (key) return key;
    return Error{Code::not_found, "key: there is no such key; send its text or its token"};
}

Result<const Key*> find_named(Desk& desk, BodyReader& body) {
    if (!desk.path_part.empty()) {
        body.find("key");  // the path says which
        return find_sent(desk, desk.path_part);
    }
    TRY(const std::string sent, required(body, "key"));
    return find_sent(desk, sent);
}

void read_lifetime(const Desk& desk, BodyReader& body, std::optional<WallTime>& expires) {
    std::optional<std::string> duration;
    if (!body.has("duration")) return;
    body.text("duration", duration);
    expires.reset();
    if (!duration || duration == "-1") return;  // LiteLLM's word for never
    auto end = after(desk.call.now, *duration);
    if (end.ok())
        expires = *end;
    else
        body.wrong("duration", end.error().message);
}

void read_key(const Desk& desk, BodyReader& body, Key& key) {
    body.text("key_alias", key.alias);
    body.text("user_id", key.user);
    body.text("team_id", key.team);
    body.text("organization_id", key.organisation);
    read_lifetime(desk, body, key.expires);
    read_holder(body, key);
}

Json show_new(const Desk& desk, const NewKey& made) {
    Json out = {{"key", made.text}};
    out.update(show_key(desk, *desk.directory.find<Key>(made.id)));
    return out;
}

Result<Json> generate(Desk& desk) {
    const Json fields = with_defaults(desk.call.body, desk.directory.config().key_defaults);
    BodyReader body(fields);
    Key draft;
    std::optional<std::string> chosen;
    body.text("key", chosen);
    read_key(desk, body, draft);
    TRY(desk.finish(body));
    TRY(NewKey made, desk.directory.create_key(std::move(draft), std::move(chosen), desk.act()));
    desk.did(std::move(made.changes));
    return show_new(desk, made);
}

Result<Json> update(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const Key* key, find_named(desk, body));
    Key changed = *key;
    read_key(desk, body, changed);
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.update(std::move(changed), desk.act()));
    desk.did(std::move(done));
    return show_key(desk, *key);
}

Result<Json> regenerate(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const Key* key, find_named(desk, body));
    Key changed = *key;
    std::optional<std::string> chosen;
    std::string grace;
    body.text("new_key", chosen);
    body.text("grace_period", grace);
    read_key(desk, body, changed);
    TRY(desk.finish(body));
    TRY(NewKey made,
        desk.directory.rotate_key(std::move(changed), std::move(chosen), grace, desk.act()));
    desk.did(std::move(made.changes));
    return show_new(desk, made);
}

Result<std::set<std::string>> ids_to_delete(Desk& desk, BodyReader& body) {
    std::vector<std::string> sent, aliases;
    std::set<std::string> ids;
    body.texts("keys", sent);
    body.texts("key_aliases", aliases);
    TRY(desk.finish(body));
    if (sent.empty() && aliases.empty())
        return Error{Code::invalid_argument,
                     "keys: is missing; it is a list of keys, or say "
                     "key_aliases"};
    for (const std::string& text : sent) {
        TRY(const Key* key, find_sent(desk, text));
        ids.insert(key->id);
    }
    for (const std::string& alias : aliases) {
        const Key* key = desk.directory.named<Key>(alias);
        if (!key)
            return Error{Code::not_found, concat("key_aliases: there is no key '", alias, "'")};
        ids.insert(key->id);
    }
    return ids;
}

Result<Json> erase(Desk& desk) {
    BodyReader body(desk.call.body);
    TRY(const auto ids, ids_to_delete(desk, body));
    TRY(Changes done, desk.directory.erase(RecordKind::key, ids, desk.act()));
    desk.did(std::move(done));
    return Json{{"deleted_keys", ids}};
}

/// Everybody may ask for the key he holds; about all others he is told the same.
Result<const Key*> find_readable(const Desk& desk) {
    const std::string_view sent = desk.query("key");
    const Caller& caller = *desk.call.caller;
    if (caller.admin && sent.empty())
        return Error{Code::invalid_argument, "key: is missing; say which key with ?key="};
    if (caller.admin) return find_sent(desk, sent);
    const auto key = find_sent(desk, sent.empty() ? std::string_view(caller.key) : sent);
    if (key.ok() && (*key)->id == caller.key) return key;
    return Error{Code::forbidden, "A key may only ask about itself."};
}

Result<Json> info(Desk& desk) {
    TRY(const Key* key, find_readable(desk));
    return Json{{"key", key->id}, {"info", show_key(desk, *key)}};
}

bool is_wanted(const Desk& desk, const Key& key) {
    const auto fits = [&](std::string_view parameter, std::string_view value) {
        const std::string_view wanted = desk.query(parameter);
        return wanted.empty() || wanted == value;
    };
    return fits("user_id", key.user) && fits("team_id", key.team) &&
           fits("organization_id", key.organisation) && fits("key_alias", key.alias);
}

/// Oldest first, so that a page stays the same while keys are made.
std::vector<const Key*> wanted_keys(const Desk& desk) {
    std::vector<const Key*> keys;
    for (const auto& [id, key] : desk.directory.all<Key>())
        if (is_wanted(desk, key)) keys.push_back(&key);
    std::ranges::sort(keys, {}, [](const Key* key) { return std::tie(key->created, key->id); });
    return keys;
}

Result<Json> list(Desk& desk) {
    const auto keys = wanted_keys(desk);
    TRY(const Page page, page_of(desk, keys.size()));
    const bool whole = desk.query("return_full_object") == "true";
    Json shown = Json::array();
    for (size_t i = page.begin(); i < page.end(); ++i)
        shown.push_back(whole ? show_key(desk, *keys[i]) : Json(keys[i]->id));
    return Json{{"keys", std::move(shown)},
                {"total_count", page.total},
                {"current_page", page.number},
                {"total_pages", page.pages()}};
}

Result<Json> set_blocked(Desk& desk, bool blocked) {
    BodyReader body(desk.call.body);
    TRY(const Key* key, find_named(desk, body));
    TRY(desk.finish(body));
    TRY(Changes done, desk.directory.set_blocked(RecordKind::key, key->id, blocked, desk.act()));
    desk.did(std::move(done));
    return show_key(desk, *key);
}

Result<Json> block(Desk& desk) {
    return set_blocked(desk, true);
}
Result<Json> unblock(Desk& desk) {
    return set_blocked(desk, false);
}

constexpr FieldDoc kInfoQuery[] = {{"key", FieldType::text, "its text or its token"}};
constexpr FieldDoc kListQuery[] = {
    {"page", FieldType::page, "from 1"},
    {"size", FieldType::page, "keys on a page, at most 1000; 10 unless given"},
    {"return_full_object", FieldType::flag, "keys rather than tokens"},
    {"user_id", FieldType::text},
    {"team_id", FieldType::text},
    {"organization_id", FieldType::text},
    {"key_alias", FieldType::text},
};

constexpr ManagementRoute kRoutes[] = {
    {"POST",
     "/key/generate",
     generate,
     {"make a key; its text is shown this once", "NewKey", "KeyShownOnce"}},
    {"POST", "/key/update", update, {"change a key", "KeyChange", "Key"}},
    {"POST", "/key/delete", erase, {"delete keys", "KeyChoice", "DeletedKeys"}},
    {"GET",
     "/key/info",
     info,
     {"one key; without ?key= the caller's own", "", "KeyInfo", kInfoQuery},
     true},
    {"GET", "/key/list", list, {"keys, oldest first", "", "KeyList", kListQuery}},
    {"POST", "/key/block", block, {"let nobody in with it", "KeyName", "Key"}},
    {"POST", "/key/unblock", unblock, {"let it in again", "KeyName", "Key"}},
    {"POST",
     "/key/regenerate",
     regenerate,
     {"give a key another text", "KeyRotation", "KeyShownOnce"}},
    {"POST",
     "/key/{key}/regenerate",
     regenerate,
     {"give a key another text", "KeyRotation", "KeyShownOnce"}},
};

}  // namespace

std::span<const ManagementRoute> key_routes() {
    return kRoutes;
}

Json show_key(const Desk& desk, const Key& key) {
    Json out = {
        {"key_name", key.display},
        {"key_alias", text_or_null(key.alias)},
        {"token", key.id},
        {"token_id", key.id},
        {"user_id", text_or_null(key.user)},
        {"team_id", text_or_null(key.team)},
        {"organization_id", text_or_null(key.organisation)},
        {"expires", time_or_null(key.expires)},
    };
    if (key.previous_hash) out["previous_key_until"] = iso_text(key.previous_until);
    show_holder(out, desk, key, ScopeKind::key);
    return out;
}

}  // namespace brigada
