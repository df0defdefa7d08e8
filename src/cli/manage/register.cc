#include "cli/manage/register.h"

#include "base/concat.h"
#include "cli/suggest.h"

namespace brigada {

namespace {

constexpr size_t kShortestPrefix = 8;

Result<const Json*> list_in(const Noun& noun, const Json& answer) {
    const Json* list = &answer;
    if (*noun.list != '\0') {
        const auto found = answer.is_object() ? answer.find(noun.list) : answer.end();
        if (found == answer.end()) list = nullptr;
        if (list) list = &*found;
    }
    if (list && list->is_array()) return list;
    return Error{Code::corrupt, concat("the gateway's answer has no list of ", noun.command)};
}

ApiQuery page(const Noun& noun, int number) {
    if (!noun.has_pages) return {};
    return {{"page", std::to_string(number)}, {"size", "1000"}, {"return_full_object", "true"}};
}

}  // namespace

std::string text_of(const Json& record, const char* field) {
    if (*field == '\0' || !record.is_object()) return {};
    const auto found = record.find(field);
    return found != record.end() && found->is_string() ? found->get<std::string>() : "";
}

Result<Register> Register::read(GatewayApi& api, const Noun& noun) {
    std::vector<Json> records;
    for (int number = 1;; ++number) {
        TRY(const Json answer, api.get(concat(noun.route, "/list"), page(noun, number)));
        TRY(const Json* list, list_in(noun, answer));
        records.insert(records.end(), list->begin(), list->end());
        const bool is_last = !noun.has_pages || number >= answer.value("total_pages", 0);
        if (is_last) return Register(noun, std::move(records));
    }
}

std::string Register::id_of(const Json& record) const {
    return text_of(record, noun_->id);
}

std::string Register::name_of(const Json& record) const {
    const std::string alias = text_of(record, noun_->alias);
    return alias.empty() ? id_of(record) : alias;
}

std::string Register::alias_of(std::string_view id) const {
    for (const Json& record : records_)
        if (id_of(record) == id) return name_of(record);
    return std::string(id);
}

Result<Json> Register::find(std::string_view word) const {
    std::vector<const Json*> named;
    for (const Json& record : records_) {
        if (id_of(record) == word) return record;
        if (text_of(record, noun_->alias) == word) named.push_back(&record);
    }
    if (named.empty() && word.size() >= kShortestPrefix)
        for (const Json& record : records_)
            if (id_of(record).starts_with(word)) named.push_back(&record);
    if (named.size() == 1) return *named.front();
    if (named.empty()) return unknown(word);
    return Error{Code::invalid_argument, concat("'", word, "' means ", named.size(), " ",
                                                noun_->command, "; say the whole id of one")};
}

Error Register::unknown(std::string_view word) const {
    std::vector<std::string> known;
    for (const Json& record : records_) {
        known.push_back(name_of(record));
        known.push_back(id_of(record));
    }
    std::string message = concat("no ", noun_->one, " '", word, "'");
    if (const auto meant = closest(word, known))
        message += concat("; did you mean ", *meant, "?");
    else
        message += concat("; brigada ", noun_->command, " list shows them");
    return {Code::not_found, message};
}

}  // namespace brigada
