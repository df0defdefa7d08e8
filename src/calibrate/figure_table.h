// FigureTable: a small table of plain fields with a header line; whoever reads it asks for columns
// by name, and is told file, line and field of what is wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace brigada {

class FigureTable {
  public:
    /// Error::corrupt: no header, a line with more or fewer fields than it, quotes (not supported).
    /// `what` names the file. Empty lines are left out.
    static Result<FigureTable> parse(std::string_view text, std::string_view what);

    size_t rows() const { return rows_.size(); }
    bool has(std::string_view column) const { return index_of(column).has_value(); }

    /// Error::corrupt when the column is missing, and what columns there are.
    Result<std::string> text(size_t row, std::string_view column) const;

    /// A number within [least, most]; an empty field is an error.
    Result<double> number(size_t row, std::string_view column, double least, double most) const;

  private:
    std::optional<size_t> index_of(std::string_view column) const;
    std::string place(size_t row, std::string_view column) const;

    std::string what_;
    std::vector<std::string> header_;
    std::vector<std::vector<std::string>> rows_;
    std::vector<size_t> lines_;  // of each row in the file, from 1
};

}  // namespace brigada
