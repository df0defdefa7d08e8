#include "trace/csv_table.h"

#include <algorithm>
#include <charconv>

#include "base/concat.h"
#include "base/joined.h"

namespace brigada {

Result<std::vector<std::string>> split_csv_line(std::string_view line, const Place& place) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            fields.back() += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    if (quoted)
        return Error{Code::invalid_argument, concat(place.text(), ": a quote that doesn't close")};
    return fields;
}

Result<CsvTable> CsvTable::open(TraceText& text) {
    CsvTable table(text);
    TRY(auto line, text.next_line());
    if (!line) return Error{Code::invalid_argument, concat(text.file(), ": empty")};
    if (line->starts_with("\xef\xbb\xbf")) line->remove_prefix(3);  // a byte order mark
    TRY(table.columns_, split_csv_line(*line, table.place()));
    return table;
}

Result<bool> CsvTable::next_row() {
    for (;;) {
        TRY(const auto line, text_->next_line());
        if (!line) return false;
        if (line->empty()) continue;
        row_ = split_csv_line(*line, place());
        return true;
    }
}

Result<void> CsvTable::check_row() const {
    if (!row_.ok()) return row_.error();
    if (row_->size() != columns_.size())
        return Error{Code::invalid_argument,
                     concat(place().text(), ": ", row_->size(), " fields; there are ",
                            columns_.size(), " columns")};
    return {};
}

bool CsvTable::has(std::string_view column) const {
    return std::ranges::find(columns_, column) != columns_.end();
}

Result<std::string_view> CsvTable::text(std::string_view column) const {
    const auto found = std::ranges::find(columns_, column);
    if (found == columns_.end())
        return Error{Code::invalid_argument, concat(text_->file(), ": no column ", column,
                                                    "; there are ", joined(columns_))};
    return std::string_view((*row_)[static_cast<size_t>(found - columns_.begin())]);
}

Result<double> CsvTable::number(std::string_view column) const {
    TRY(const std::string_view value, text(column));
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || value.empty())
        return wrong_field(place(), column, value.empty() ? "empty" : value, "a number is needed");
    return number;
}

Result<double> CsvTable::number(std::string_view column, double least, double most) const {
    TRY(const double value, number(column));
    if (value >= least && value <= most) return value;
    TRY(const std::string_view said, text(column));
    return wrong_field(place(), column, said, concat("it must be within ", least, " and ", most));
}

Result<uint32_t> CsvTable::tokens(std::string_view column) const {
    TRY(const double value, number(column));
    return tokens_from(value, place(), column);
}

Result<uint32_t> CsvTable::prompt_tokens(std::string_view column) const {
    TRY(const uint32_t value, tokens(column));
    if (value == 0) return wrong_field(place(), column, "0", "a prompt has at least 1 token");
    return value;
}

Result<Duration> CsvTable::time(std::string_view column, Duration unit) const {
    TRY(const double value, number(column));
    return time_from(value, unit, place(), column);
}

}  // namespace brigada
