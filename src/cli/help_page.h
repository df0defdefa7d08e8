// HelpPage: how the help of every command is laid out: what it is, how it is called, its arguments,
// options and commands in columns, then whatever the command wants to add.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace brigada {

class HelpPage : public CLI::FormatterBase {
  public:
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;
};

}  // namespace brigada
