// TextTable: rows under titles, aligned, for people. On a terminal that is too narrow, texts that
// may be cut end in an ellipsis, the widest column first; numbers never are, and elsewhere nothing
// is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace brigada {

struct TableColumn {
    std::string title = {};
    bool is_number = false;  // to the right, never cut
};

class TextTable {
  public:
    explicit TextTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

    /// As many cells as columns (CHECK).
    void add(std::vector<std::string> cells);
    bool empty() const { return rows_.empty(); }

    /// With line ends, and no spaces before them. 0: as wide as it gets.
    std::string text(size_t width = 0) const;

  private:
    std::vector<size_t> widths(size_t width) const;

    std::vector<TableColumn> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// Columns a text takes: characters, not bytes.
size_t shown_width(std::string_view text);

/// At most `width` columns, the last one an ellipsis where something is missing.
std::string shortened(std::string_view text, size_t width);

/// What came from elsewhere and goes to a terminal: control characters become '?'.
std::string harmless(std::string_view text);

/// The terminal's columns; 0 when standard output is none.
size_t terminal_width();

/// "1,234,567".
std::string grouped(int64_t number);

}  // namespace brigada
