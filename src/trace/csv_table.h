// CsvTable: comma-separated values (RFC 4180) with a line of names, row by row, and fields of a row
// with errors that name file, line and column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/record.h"
#include "trace/trace_text.h"

namespace brigada {

/// The fields of a line; a field in quotes may hold commas, and two quotes for one.
/// Error::invalid_argument when quotes don't close.
Result<std::vector<std::string>> split_csv_line(std::string_view line, const Place& place);

class CsvTable {
  public:
    /// Reads the names of the columns.
    static Result<CsvTable> open(TraceText& text);

    /// False after the last row. Empty lines are no rows.
    Result<bool> next_row();
    /// Whether the row has as many fields as there are columns.
    Result<void> check_row() const;

    Place place() const { return {text_->file(), text_->line()}; }
    bool has(std::string_view column) const;

    /// Of the row; the column must exist.
    Result<std::string_view> text(std::string_view column) const;
    Result<double> number(std::string_view column) const;
    Result<double> number(std::string_view column, double least, double most) const;
    Result<uint32_t> tokens(std::string_view column) const;         // 0 and more
    Result<uint32_t> prompt_tokens(std::string_view column) const;  // 1 and more
    Result<Duration> time(std::string_view column, Duration unit) const;

  private:
    explicit CsvTable(TraceText& text) : text_(&text) {}

    TraceText* text_;
    std::vector<std::string> columns_;
    Result<std::vector<std::string>> row_ = std::vector<std::string>();
};

}  // namespace brigada
