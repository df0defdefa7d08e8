#include "calibrate/figure_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/concat.h"

namespace brigada {

namespace {

std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> fields;
    for (size_t begin = 0; begin <= line.size();) {
        const size_t end = std::min(line.find(',', begin), line.size());
        fields.emplace_back(line.substr(begin, end - begin));
        begin = end + 1;
    }
    return fields;
}

std::string_view next_line(std::string_view& text) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

}  // namespace

Result<FigureTable> FigureTable::parse(std::string_view text, std::string_view what) {
    FigureTable table;
    table.what_ = what;
    for (size_t line_number = 1; !text.empty(); ++line_number) {
        const std::string_view line = next_line(text);
        if (line.empty()) continue;
        if (line.contains('"'))
            return Error{Code::corrupt,
                         concat(what, ":", line_number, ": a quoted field; fields here are plain")};
        std::vector<std::string> fields = fields_of(line);
        if (table.header_.empty()) {
            table.header_ = std::move(fields);
            continue;
        }
        if (fields.size() != table.header_.size())
            return Error{Code::corrupt, concat(what, ":", line_number, ": ", fields.size(),
                                               " fields; the header has ", table.header_.size())};
        table.rows_.push_back(std::move(fields));
        table.lines_.push_back(line_number);
    }
    if (table.header_.empty()) return Error{Code::corrupt, concat(what, " is empty")};
    return table;
}

std::optional<size_t> FigureTable::index_of(std::string_view column) const {
    const auto found = std::ranges::find(header_, column);
    if (found == header_.end()) return std::nullopt;
    return static_cast<size_t>(found - header_.begin());
}

std::string FigureTable::place(size_t row, std::string_view column) const {
    return concat(what_, ":", lines_[row], ": ", column);
}

Result<std::string> FigureTable::text(size_t row, std::string_view column) const {
    if (const auto index = index_of(column)) return rows_[row][*index];
    std::string known;
    for (const std::string& name : header_)
        known += (known.empty() ? "" : ", ") + name;
    return Error{Code::corrupt, concat(what_, " has no column ", column, "; it has ", known)};
}

Result<double> FigureTable::number(size_t row, std::string_view column, double least,
                                   double most) const {
    TRY(const std::string field, text(row, column));
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value))
        return Error{Code::corrupt,
                     concat(place(row, column), " is \"", field, "\", not a number")};
    if (value < least || value > most)
        return Error{Code::corrupt, concat(place(row, column), " is ", field,
                                           "; it must be within ", least, " and ", most)};
    return value;
}

}  // namespace brigada
