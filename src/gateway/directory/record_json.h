// Records to Json and back: what the store keeps and what the audit log shows of a change. Money
// and times are exact integers here; LiteLLM's form is elsewhere.
#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "gateway/directory/records.h"

namespace brigada {

/// Fields that are empty are left out.
Json to_json(const Record& record);

/// Error::corrupt names the kind and the field. Fields it does not know are passed over.
Result<Record> record_from(RecordKind kind, const Json& json);

/// A record as a store keeps it, its kind by name. Error::corrupt says which it is.
Result<Record> read_record(std::string_view kind, std::string_view id, std::string_view text);

/// Nothing for a name that is none.
std::optional<RecordKind> record_kind_from(std::string_view name);

}  // namespace brigada
