// ToolList: the tools of a request by name, and what their schemas say of parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace brigada {

class ToolList {
  public:
    ToolList() = default;
    /// `tools` in OpenAI's form, [{"type": "function", "function": {"name", "parameters"}}]; what
    /// has no name is left out. null: none.
    explicit ToolList(const Json& tools);

    bool empty() const { return tools_.empty(); }
    bool has(std::string_view name) const { return find(name) != nullptr; }

    /// The value that `text`, as a model wrote it between tags, stands for in JSON, by the schema
    /// of that parameter: "5" is 5 for an integer and "5" for a string. What does not fit its
    /// schema stays a string; without a schema JSON is JSON and the rest a string.
    std::string value_as_json(std::string_view tool, std::string_view parameter,
                              std::string_view text) const;

  private:
    struct Tool {
        std::string name;
        Json parameters;
    };

    const Tool* find(std::string_view name) const;

    std::vector<Tool> tools_;
};

}  // namespace brigada
