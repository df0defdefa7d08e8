#include "gateway/directory/record_json.h"

namespace brigada {

namespace {

// One list of fields per type, for both directions: `visit` is called with each name and member.

template <typename Visit, typename T>
void fields_of_allowance(Visit& visit, T& a) {
    visit("limits", a.limits);
    visit("model_limits", a.model_limits);
    visit("max_budget", a.max_budget);
    visit("soft_budget", a.soft_budget);
    visit("budget_duration", a.budget_duration);
    visit("more_budgets", a.more_budgets);
    visit("model_budgets", a.model_budgets);
    visit("increase", a.increase);
    visit("showback", a.showback);
}

template <typename Visit, typename T>
void fields_of_holder(Visit& visit, T& holder) {
    visit("id", holder.id);
    visit("alias", holder.alias);
    visit("allowance", holder.allowance);
    visit("budget_id", holder.budget_id);
    visit("models", holder.models);
    visit("aliases", holder.aliases);
    visit("priority", holder.priority);
    visit("blocked", holder.blocked);
    visit("metadata", holder.metadata);
    visit("tags", holder.tags);
    visit("created", holder.created);
    visit("updated", holder.updated);
    visit("created_by", holder.created_by);
    visit("updated_by", holder.updated_by);
}

template <typename T, typename... Same>
constexpr bool is_one_of = (std::is_same_v<std::remove_const_t<T>, Same> || ...);

template <typename Visit, typename T>
    requires is_one_of<T, RateLimits, TimedBudget, BudgetIncrease, Allowance, Member>
void fields(Visit& visit, T& value) {
    if constexpr (is_one_of<T, RateLimits>) {
        visit("rpm", value.requests_per_minute);
        visit("tpm", value.tokens_per_minute);
        visit("concurrent", value.concurrent);
    } else if constexpr (is_one_of<T, TimedBudget>) {
        visit("max", value.max);
        visit("duration", value.duration);
    } else if constexpr (is_one_of<T, BudgetIncrease>) {
        visit("amount", value.amount);
        visit("until", value.until);
    } else if constexpr (is_one_of<T, Allowance>) {
        fields_of_allowance(visit, value);
    } else {
        visit("role", value.role);
        visit("allowance", value.allowance);
    }
}

template <typename Visit, typename T>
    requires std::is_base_of_v<Holder, std::remove_const_t<T>>
void fields(Visit& visit, T& record) {
    fields_of_holder(visit, record);
    if constexpr (is_one_of<T, User>) {
        visit("email", record.email);
        visit("role", record.role);
    }
    if constexpr (is_one_of<T, Team>) {
        visit("organisation", record.organisation);
        visit("members", record.members);
        visit("member_default", record.member_default);
    }
    if constexpr (is_one_of<T, Key>) {
        visit("hash", record.hash);
        visit("display", record.display);
        visit("expires", record.expires);
        visit("organisation", record.organisation);
        visit("team", record.team);
        visit("user", record.user);
        visit("previous_hash", record.previous_hash);
        visit("previous_until", record.previous_until);
    }
}

struct Writer {
    Json out = Json::object();

    template <typename T>
    void operator()(const char* name, const T& value) {
        Json json = encode(value);
        const bool empty_text = json.is_string() && json.get_ref<const std::string&>().empty();
        if (!json.is_null() && !empty_text && !(json.is_structured() && json.empty()))
            out[name] = std::move(json);
    }

    static Json encode(const std::string& text) { return text; }
    static Json encode(bool flag) { return flag ? Json(true) : Json(); }
    static Json encode(int64_t number) { return number; }
    static Json encode(Money money) { return money.nano; }
    static Json encode(WallTime time) { return time.ns; }
    static Json encode(PriorityClass priority) { return to_string(priority); }
    static Json encode(const KeyHash& hash) { return hash.hex(); }
    static Json encode(const Json& json) { return json; }
    template <typename T>
    static Json encode(const std::optional<T>& value) {
        return value ? encode(*value) : Json();
    }
    template <typename T>
    static Json encode(const std::vector<T>& list) {
        Json json = Json::array();
        for (const T& value : list)
            json.push_back(encode(value));
        return json;
    }
    template <typename T>
    static Json encode(const std::map<std::string, T>& map) {
        Json json = Json::object();
        for (const auto& [name, value] : map)
            json[name] = encode(value);
        return json;
    }
    template <typename T>
        requires requires(Writer& w, const T& t) { fields(w, t); }
    static Json encode(const T& value) {
        Writer writer;
        fields(writer, value);
        return std::move(writer.out);
    }
};

struct Reader {
    const Json& in;
    std::string wrong = {};  // the first field that does not fit

    template <typename T>
    void operator()(const char* name, T& value) {
        const auto found = in.find(name);
        if (found != in.end() && !decode(*found, value) && wrong.empty()) wrong = name;
    }

    static bool decode(const Json& json, std::string& to) {
        if (!json.is_string()) return false;
        to = json.get<std::string>();
        return true;
    }
    static bool decode(const Json& json, bool& to) {
        if (!json.is_boolean()) return false;
        to = json.get<bool>();
        return true;
    }
    static bool decode(const Json& json, int64_t& to) {
        if (!json.is_number_integer()) return false;
        to = json.get<int64_t>();
        return true;
    }
    static bool decode(const Json& json, Money& to) { return decode(json, to.nano); }
    static bool decode(const Json& json, WallTime& to) { return decode(json, to.ns); }
    static bool decode(const Json& json, Json& to) {
        to = json;
        return json.is_object();
    }
    static bool decode(const Json& json, PriorityClass& to) {
        std::string name;
        const auto priority = decode(json, name) ? priority_from(name) : std::nullopt;
        if (priority) to = *priority;
        return priority.has_value();
    }
    static bool decode(const Json& json, KeyHash& to) {
        std::string text;
        const auto hash = decode(json, text) ? KeyHash::from_hex(text) : std::nullopt;
        if (hash) to = *hash;
        return hash.has_value();
    }
    template <typename T>
    static bool decode(const Json& json, std::optional<T>& to) {
        return decode(json, to.emplace());
    }
    template <typename T>
    static bool decode(const Json& json, std::vector<T>& to) {
        if (!json.is_array()) return false;
        for (const Json& item : json)
            if (!decode(item, to.emplace_back())) return false;
        return true;
    }
    template <typename T>
    static bool decode(const Json& json, std::map<std::string, T>& to) {
        if (!json.is_object()) return false;
        for (const auto& [name, item] : json.items())
            if (!decode(item, to[name])) return false;
        return true;
    }
    template <typename T>
        requires requires(Reader& r, T& t) { fields(r, t); }
    static bool decode(const Json& json, T& to) {
        if (!json.is_object()) return false;
        Reader reader{.in = json};
        fields(reader, to);
        return reader.wrong.empty();
    }
};

template <typename T>
Result<Record> read(const Json& json) {
    Reader reader{.in = json};
    T record;
    fields(reader, record);
    if (reader.wrong.empty()) return Record(std::move(record));
    return Error{Code::corrupt, concat("field '", reader.wrong, "' does not fit")};
}

Result<Record> read_kind(RecordKind kind, const Json& json) {
    switch (kind) {
        case RecordKind::organisation:
            return read<Organisation>(json);
        case RecordKind::user:
            return read<User>(json);
        case RecordKind::budget:
            return read<BudgetTemplate>(json);
        case RecordKind::team:
            return read<Team>(json);
        case RecordKind::key:
            return read<Key>(json);
        case RecordKind::end_user:
            return read<EndUser>(json);
    }
    return Error{Code::internal, "no such kind"};
}

}  // namespace

std::string_view to_string(RecordKind kind) {
    switch (kind) {
        case RecordKind::organisation:
            return "organisation";
        case RecordKind::user:
            return "user";
        case RecordKind::budget:
            return "budget";
        case RecordKind::team:
            return "team";
        case RecordKind::key:
            return "key";
        case RecordKind::end_user:
            return "end_user";
    }
    return "unknown";
}

std::string_view to_string(PriorityClass priority) {
    switch (priority) {
        case PriorityClass::guaranteed:
            return "guaranteed";
        case PriorityClass::standard:
            return "standard";
        case PriorityClass::batch:
            return "batch";
    }
    return "unknown";
}

std::optional<PriorityClass> priority_from(std::string_view name) {
    for (auto priority : {PriorityClass::guaranteed, PriorityClass::standard, PriorityClass::batch})
        if (to_string(priority) == name) return priority;
    return std::nullopt;
}

Json to_json(const Record& record) {
    return std::visit([](const auto& r) { return Writer::encode(r); }, record);
}

Result<Record> record_from(RecordKind kind, const Json& json) {
    if (!json.is_object())
        return Error{Code::corrupt, concat(to_string(kind), ": the record is not an object")};
    auto record = read_kind(kind, json);
    if (!record.ok()) return std::move(record).error().in(to_string(kind));
    return record;
}

std::optional<RecordKind> record_kind_from(std::string_view name) {
    for (const RecordKind kind : kRecordKinds)
        if (to_string(kind) == name) return kind;
    return std::nullopt;
}

Result<Record> read_record(std::string_view kind_name, std::string_view id, std::string_view text) {
    const auto corrupt = [&](std::string_view why) {
        return Error{Code::corrupt, concat(kind_name, " '", id, "': ", why)};
    };
    const auto kind = record_kind_from(kind_name);
    if (!kind) return corrupt("a record of unknown kind");
    const auto json = parse_json(text, "the record");
    if (!json.ok()) return corrupt(json.error().message);
    auto record = record_from(*kind, *json);
    if (!record.ok()) return corrupt(record.error().message);
    if (holder_of(*record).id != id) return corrupt("holds another's record");
    return record;
}

}  // namespace brigada
