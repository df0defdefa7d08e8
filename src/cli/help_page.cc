#include "cli/help_page.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <vector>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr size_t kColumns = 90;
constexpr size_t kWidestLeft = 26;

struct Row {
    std::string left;
    std::string right;
};

/// `text` broken between words; from the second line on, indented.
std::string wrapped(const std::string& text, size_t indent) {
    std::string out;
    size_t column = indent;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const bool breaks = column > indent && column + 1 + word.size() > kColumns;
        if (breaks) out += "\n" + std::string(indent, ' ');
        if (!breaks && column > indent) out += ' ';
        column = breaks ? indent + word.size() : column + word.size() + (column > indent);
        out += word;
    }
    return out;
}

std::string table(const std::string& title, const std::vector<Row>& rows) {
    if (rows.empty()) return "";
    size_t width = 0;
    for (const Row& row : rows)
        if (row.left.size() <= kWidestLeft) width = std::max(width, row.left.size());
    const size_t indent = 2 + width + 3;
    std::string out = concat("\n", title, "\n");
    for (const Row& row : rows) {
        const bool too_wide = row.left.size() > width;
        const std::string gap = too_wide ? "\n" + std::string(indent, ' ')
                                         : std::string(indent - 2 - row.left.size(), ' ');
        out += concat("  ", row.left, gap, wrapped(row.right, indent), "\n");
    }
    return out;
}

/// "SIZE"; CLI11 adds what its checks accept, after a colon.
std::string type_of(const CLI::Option& option) {
    const std::string name = option.get_type_name();
    return name.substr(0, name.find(':'));
}

std::string names_of(const CLI::Option& option) {
    if (option.get_positional()) return type_of(option);
    std::string out;
    for (const std::string& name : option.get_snames())
        out += "-" + name + ", ";
    for (const std::string& name : option.get_lnames())
        out += "--" + name + ", ";
    out.resize(out.size() - 2);
    if (option.get_items_expected_max() > 0) out += " " + type_of(option);
    return out;
}

/// CLI11 puts lists into brackets.
std::string shown_default(const CLI::Option& option) {
    const std::string& usual = option.get_default_str();
    const bool is_list = usual.starts_with('[') && usual.ends_with(']');
    return is_list ? usual.substr(1, usual.size() - 2) : usual;
}

std::vector<Row> options_of(const CLI::App& app, bool positional) {
    std::vector<Row> rows;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional() != positional) continue;
        std::string right = option->get_description();
        // Where 0 stands for something, the description says for what.
        const std::string usual = shown_default(*option);
        if (!usual.empty() && usual != "0") right += concat(" (", usual, " unless given)");
        rows.push_back({names_of(*option), std::move(right)});
    }
    // --help was declared first and is read last.
    if (!positional && rows.size() > 1) std::rotate(rows.begin(), rows.begin() + 1, rows.end());
    return rows;
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

/// "ls, list".
std::string names_of(const CLI::App& command) {
    std::string out = command.get_name();
    for (const std::string& alias : command.get_aliases())
        out += ", " + alias;
    return out;
}

std::vector<Row> commands_of(const CLI::App& app) {
    std::vector<Row> rows;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        rows.push_back({names_of(*command), first_line(command->get_description())});
    return rows;
}

std::string full_name(const CLI::App& app) {
    if (app.get_parent() == nullptr) return app.get_name();
    return full_name(*app.get_parent()) + " " + app.get_name();
}

std::string usage(const CLI::App& app) {
    std::string line = full_name(app);
    if (!commands_of(app).empty()) line += " COMMAND";
    for (const Row& row : options_of(app, true))
        line += " " + row.left;
    return line + " [OPTIONS]";
}

}  // namespace

std::string HelpPage::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
    std::string page = concat(app->get_description(), "\n\nUsage: ", usage(*app), "\n");
    page += table("Commands", commands_of(*app));
    page += table("Arguments", options_of(*app, true));
    page += table("Options", options_of(*app, false));
    if (!app->get_footer().empty()) page += "\n" + app->get_footer() + "\n";
    if (!commands_of(*app).empty())
        page += concat("\n", full_name(*app), " COMMAND --help says more.\n");
    return page;
}

}  // namespace brigada
