#include "cli/manage/show.h"

#include <iostream>

#include "base/concat.h"
#include "cli/text_table.h"

namespace brigada {

namespace {

bool says_nothing(const Json& value) {
    return value.is_null() || value == "" ||
           ((value.is_object() || value.is_array()) && value.empty());
}

/// Every number with a fraction in these records is dollars.
std::string field_text(const std::string& field, const Json& value, NameBook& names) {
    if (value.is_number_float()) return dollars_text(value);
    if (value.is_string()) return names.name_of(field, value.get<std::string>());
    return dump_json(value);
}

bool is_number(CellKind kind) {
    return kind == CellKind::dollars || kind == CellKind::number || kind == CellKind::count;
}

}  // namespace

void print_json(const Json& answer) {
    std::cout << answer.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void print_table(const Noun& noun, std::span<const Json> records, NameBook& names) {
    std::vector<TableColumn> columns;
    for (const CellDoc& doc : noun.cells)
        columns.push_back({doc.title, is_number(doc.kind)});
    TextTable table(std::move(columns));
    for (const Json& record : records) {
        std::vector<std::string> cells;
        for (const CellDoc& doc : noun.cells) {
            const bool is_own_id = std::string_view(doc.field) == noun.id;
            const std::string text = cell(record, doc);
            cells.push_back(is_own_id ? text : names.name_of(doc.field, text));
        }
        table.add(std::move(cells));
    }
    std::cout << table.text(terminal_width());
}

void print_fields(const Json& record, NameBook& names) {
    size_t width = 0;
    for (const auto& [field, value] : record.items())
        if (!says_nothing(value)) width = std::max(width, field.size());
    for (const auto& [field, value] : record.items())
        if (!says_nothing(value))
            std::cout << fmt::format("{:<{}}  {}\n", field, width,
                                     harmless(field_text(field, value, names)));
}

void print_warnings(const Json& answer) {
    if (!answer.is_object() || !answer.contains("warnings")) return;
    for (const Json& warning : answer["warnings"])
        std::cerr << "warning: "
                  << harmless(warning.is_string() ? warning.get<std::string>() : dump_json(warning))
                  << '\n';
}

}  // namespace brigada
