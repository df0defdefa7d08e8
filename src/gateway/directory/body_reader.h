// BodyReader: the fields of one management body, read into where they belong. An absent field
// leaves its target alone, null clears it. The first wrong field is kept for finish(); a field that
// nobody read becomes a warning, so that a caller sees what had no effect.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/money.h"
#include "base/wall_time.h"

namespace brigada {

class BodyReader {
  public:
    /// `body` is an object, or null for none, and outlives the reader. `path` stands before the
    /// names of fields in messages: "member.".
    explicit BodyReader(const Json& body, std::string path = "")
        : body_(body), path_(std::move(path)) {}

    /// The value, or null when the field is absent. A present null is a Json null.
    const Json* find(std::string_view name);
    bool has(std::string_view name) const;

    void text(std::string_view name, std::string& to);
    void text(std::string_view name, std::optional<std::string>& to);
    void flag(std::string_view name, bool& to);
    /// A whole number from 0.
    void whole(std::string_view name, std::optional<int64_t>& to);
    /// Dollars from 0 to 9 billion, to the nano-dollar.
    void money(std::string_view name, std::optional<Money>& to);
    void texts(std::string_view name, std::vector<std::string>& to);
    void text_map(std::string_view name, std::map<std::string, std::string>& to);
    void object(std::string_view name, Json& to);
    void time(std::string_view name, std::optional<WallTime>& to);

    /// "<path><name>: must be <expected>; got <value>", the first of them kept.
    void wrong(std::string_view name, std::string_view expected, const Json& got);
    void wrong(std::string_view name, std::string_view why);
    bool good() const { return !error_; }

    /// Reads the object in a field with a reader of its own, whose fault is then ours.
    template <typename Fn>
    void nested(std::string_view name, const Json& object, Fn read);

    /// Error::invalid_argument for the first wrong field.
    Result<void> finish() const;

    /// A sentence for each field nobody read.
    std::vector<std::string> warnings() const;

  private:
    const Json& body_;
    std::string path_;
    std::set<std::string, std::less<>> read_;
    std::optional<Error> error_;
    std::vector<std::string> nested_warnings_;
};

/// The value's JSON, cut short, for messages; never the text of a key.
std::string excerpt(const Json& value);

/// Dollars as a body writes them. Nothing when it is no number or out of range.
std::optional<Money> money_from(const Json& value);
Json dollars(Money money);

template <typename Fn>
void BodyReader::nested(std::string_view name, const Json& object, Fn read) {
    if (!object.is_object()) return wrong(name, "an object", object);
    BodyReader inner(object, concat(path_, name, "."));
    read(inner);
    if (inner.error_ && !error_) error_ = inner.error_;
    for (std::string& warning : inner.warnings())
        nested_warnings_.push_back(std::move(warning));
}

}  // namespace brigada
