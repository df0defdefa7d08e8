// JsonFields: reads the fields of one JSON object of a request, and says of a wrong one which
// field, which value and what would work. Bodies are parsed by simdjson; what is kept (messages,
// tools) is converted to Json.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "base/result.h"

namespace brigada {

class JsonFields {
  public:
    /// `path` stands before field names in messages: "" or "messages[3].".
    explicit JsonFields(simdjson::dom::object object, std::string path = "")
        : object_(object), path_(std::move(path)) {}

    /// The element, or nothing when the field is absent or null.
    std::optional<simdjson::dom::element> find(std::string_view name) const;

    Result<std::optional<std::string>> text(std::string_view name) const;
    Result<std::optional<bool>> boolean(std::string_view name) const;
    /// A finite number in [low, high].
    Result<std::optional<double>> number(std::string_view name, double low, double high) const;
    /// A whole number in [low, high]; 3.0 counts as 3.
    Result<std::optional<int64_t>> integer(std::string_view name, int64_t low, int64_t high) const;
    Result<std::optional<simdjson::dom::object>> object(std::string_view name) const;
    Result<std::optional<simdjson::dom::array>> array(std::string_view name) const;

    /// Error::invalid_argument: "<path><name>: must be <expected>; got <value>".
    Error wrong(std::string_view name, std::string_view expected, simdjson::dom::element got) const;

    std::string path_of(std::string_view name) const { return path_ + std::string(name); }

  private:
    simdjson::dom::object object_;
    std::string path_;
};

/// One element of a list of token ids in the field `name`; errors name it and the ids there are.
Result<TokenId> read_token_id(const JsonFields& fields, std::string_view name,
                              simdjson::dom::element value, uint32_t vocab);

/// The JSON text of `element`, cut after 60 characters: for messages.
std::string excerpt(simdjson::dom::element element);

/// A copy that outlives the parser.
Json to_json(simdjson::dom::element element);

/// Parses a request body of `size` bytes at `data` that may be read kBodyPadding bytes further.
/// Half a surrogate pair is U+FFFD. Error::invalid_argument when it is not a JSON object.
Result<simdjson::dom::object> parse_body(simdjson::dom::parser& parser, std::string_view body);

}  // namespace brigada
