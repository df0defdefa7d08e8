#include "cli/text_table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kEllipsis = "…";
constexpr size_t kNarrowest = 8;  // a text is not cut shorter than this

bool begins_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}

std::string aligned(const std::string& cell, size_t width, bool is_number) {
    const std::string text = shortened(cell, width);
    const std::string space(width - shown_width(text), ' ');
    return is_number ? space + text : text + space;
}

}  // namespace

size_t shown_width(std::string_view text) {
    return static_cast<size_t>(std::ranges::count_if(text, begins_character));
}

std::string shortened(std::string_view text, size_t width) {
    if (shown_width(text) <= width) return std::string(text);
    if (width == 0) return {};
    size_t bytes = 0;
    for (size_t shown = 0; bytes < text.size(); ++bytes)
        if (begins_character(text[bytes]) && ++shown == width) break;
    return concat(text.substr(0, bytes), kEllipsis);
}

std::string harmless(std::string_view text) {
    std::string out(text);
    std::ranges::replace_if(out, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
    return out;
}

size_t terminal_width() {
    winsize size{};
    if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

std::string grouped(int64_t number) {
    std::string out = std::to_string(number);
    const size_t first_digit = number < 0 ? 1 : 0;
    for (size_t at = out.size(); at > first_digit + 3;)
        out.insert(at -= 3, ",");
    return out;
}

void TextTable::add(std::vector<std::string> cells) {
    CHECK(cells.size() == columns_.size());
    for (std::string& cell : cells)
        cell = harmless(cell);
    rows_.push_back(std::move(cells));
}

std::vector<size_t> TextTable::widths(size_t width) const {
    std::vector<size_t> out;
    for (const TableColumn& column : columns_)
        out.push_back(shown_width(column.title));
    for (const auto& row : rows_)
        for (size_t i = 0; i < row.size(); ++i)
            out[i] = std::max(out[i], shown_width(row[i]));
    const auto total = [&] {
        return std::accumulate(out.begin(), out.end(), kGap.size() * (out.size() - 1));
    };
    while (width > 0 && total() > width) {
        size_t* widest = nullptr;
        for (size_t i = 0; i < out.size(); ++i)
            if (!columns_[i].is_number && out[i] > kNarrowest && (!widest || out[i] > *widest))
                widest = &out[i];
        if (!widest) break;
        --*widest;
    }
    return out;
}

std::string TextTable::text(size_t width) const {
    const std::vector<size_t> columns = widths(width);
    std::string out;
    const auto add_line = [&](const auto& cell_of) {
        std::string line;
        for (size_t i = 0; i < columns.size(); ++i)
            line +=
                concat(i == 0 ? "" : kGap, aligned(cell_of(i), columns[i], columns_[i].is_number));
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    };
    add_line([&](size_t i) { return columns_[i].title; });
    for (const auto& row : rows_)
        add_line([&](size_t i) { return row[i]; });
    return out;
}

}  // namespace brigada
