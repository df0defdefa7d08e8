// CallArguments: the arguments of calls in the ways in which families of models write them: a JSON
// object, values between tags, Python's keyword arguments.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "base/json.h"
#include "base/result.h"
#include "grammar/grammar_builder.h"
#include "grammar/json_text.h"
#include "grammar/schema_reader.h"
#include "toolcall/call_shape.h"

namespace brigada {

class CallArguments {
  public:
    explicit CallArguments(GrammarBuilder& builder);

    /// What a call of `shape` has between before_arguments and end, for a tool with this schema;
    /// any arguments for null. Errors name the place in the schema and the keyword.
    Result<Expr> read(const CallShape& shape, const Json* schema);

    /// The text of a shape: a line feed in it stands for white space that may be there.
    Expr words(std::string_view text);
    /// A space or a new line, or none.
    Expr gap() const { return gap_; }

  private:
    class TagPen;
    class PythonPen;

    Result<Expr> object_only(const Json& parameters);
    Result<Expr> text_in_tags(Expr text, std::string_view end, uint32_t mistakes);

    GrammarBuilder& b_;
    JsonText json_, tagged_, python_;
    Expr gap_;
    std::map<std::tuple<Expr, std::string, uint32_t>, Rule> texts_;
};

}  // namespace brigada
