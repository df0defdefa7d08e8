// Record: the fields of one line of a trace, JSON or CSV, with errors that name file, line, field
// and value. What lengths and times may be is said here once for all formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace brigada {

/// Longer prompts and answers are taken for a mistake: 20 times the longest context on offer.
inline constexpr uint32_t kMostTokens = 20'000'000;

/// Where a record stands: "trace.jsonl, line 12", "trace_1.json, requests[3]".
struct Place {
    std::string_view file;
    uint64_t line = 0;           // 0: the file is one text
    std::string_view list = {};  // the field whose element it is; empty: none
    uint64_t index = 0;

    Place element(std::string_view of, uint64_t number) const { return {file, line, of, number}; }
    std::string text() const;
};

/// "trace.jsonl, line 12: input_length is -5; ..."
Error wrong_field(const Place& place, std::string_view field, std::string_view value,
                  std::string_view wanted);

/// A number as a length in tokens, 0 to kMostTokens and whole.
Result<uint32_t> tokens_from(double number, const Place& place, std::string_view field);

/// A number of units of `unit` as a time since whatever the file counts from: finite, 0 to 292
/// years.
Result<Duration> time_from(double number, Duration unit, const Place& place,
                           std::string_view field);

/// Fields of a JSON object. `json` and `place` outlive it.
class Record {
  public:
    Record(const Json& json, const Place& place) : json_(json), place_(place) {}

    const Place& place() const { return place_; }
    const Json& json() const { return json_; }
    bool has(std::string_view field) const { return find(field) != nullptr; }

    /// Of fields that must be there.
    Result<uint32_t> tokens(std::string_view field) const;         // 0 and more
    Result<uint32_t> prompt_tokens(std::string_view field) const;  // 1 and more
    Result<Duration> time(std::string_view field, Duration unit) const;
    Result<int64_t> integer(std::string_view field) const;
    Result<const Json*> array(std::string_view field) const;
    Result<const Json*> object(std::string_view field) const;
    Result<std::string> text(std::string_view field) const;  // a number counts as its digits

    /// Of fields that may be absent or null.
    Result<std::optional<Duration>> time_if(std::string_view field, Duration unit) const;
    Result<uint32_t> tokens_or(std::string_view field, uint32_t otherwise) const;
    Result<std::string> text_or(std::string_view field, std::string_view otherwise) const;

    /// Whole numbers from 0 on; none when the field is absent.
    Result<std::vector<uint64_t>> ids(std::string_view field) const;

    Error wrong(std::string_view field, std::string_view wanted) const;

  private:
    const Json* find(std::string_view field) const;  // null: absent
    Result<double> number(std::string_view field, std::string_view wanted) const;

    const Json& json_;
    Place place_;
};

/// One line as a JSON object.
Result<Json> parse_record(std::string_view line, const Place& place);

/// "2023-11-16 18:17:03.9799600", with 'T' and 'Z' or an offset, too. Nanoseconds since 1970, UTC.
std::optional<int64_t> parse_timestamp(std::string_view text);

}  // namespace brigada
