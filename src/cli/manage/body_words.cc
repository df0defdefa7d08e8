#include "cli/manage/body_words.h"

#include "base/concat.h"

namespace brigada {

namespace {

Json split(std::string_view text) {
    Json out = Json::array();
    while (!text.empty()) {
        const std::string_view item = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), item.size() + 1));
        if (!item.empty()) out.push_back(item);
    }
    return out;
}

Result<Json> number(const OptionDoc& option, const std::string& text) {
    auto parsed = parse_json(text, option.name);
    if (parsed.ok() && parsed->is_number()) return parsed;
    return Error{Code::invalid_argument,
                 concat(option.name, " wants a number or none, not '", text, "'")};
}

Result<Json> id_of(NameBook& names, std::string_view command, const std::string& word) {
    TRY(std::string id, names.id_of(command, word));
    return Json(std::move(id));
}

Result<Json> value_of(const OptionDoc& option, const std::string& text, NameBook& names) {
    if (text == "none") return Json();
    switch (option.kind) {
        case OptionKind::number:
            return number(option, text);
        case OptionKind::list:
            return split(text);
        case OptionKind::team:
            return id_of(names, "teams", text);
        case OptionKind::user:
            return id_of(names, "users", text);
        case OptionKind::organisation:
            return id_of(names, "orgs", text);
        case OptionKind::text:
            break;
    }
    return Json(text);
}

}  // namespace

Result<Json> body_of(const BodyWords& words, NameBook& names) {
    Json body = Json::object();
    for (const auto& [option, text] : words.given) {
        if (text.empty()) continue;
        TRY(body[option->field], value_of(*option, text, names));
    }
    for (const std::string& pair : words.set) {
        const size_t equals = pair.find('=');
        if (equals == pair.npos || equals == 0)
            return Error{Code::invalid_argument,
                         concat("--set wants FIELD=VALUE, not '", pair, "'")};
        const std::string text = pair.substr(equals + 1);
        auto value = parse_json(text, "the value");
        body[pair.substr(0, equals)] = value.ok() ? *std::move(value) : Json(text);
    }
    return body;
}

}  // namespace brigada
