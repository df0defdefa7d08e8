// Records to Json and back: what the store keeps and what the audit log shows of a change. Money
// and times are exact integers here; LiteLLM's form is elsewhere.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "gateway/directory/records.h"

namespace brigada {

/// Fields that are empty are left out.
Json to_json(const Record& record);

/// Error::corrupt names the kind and the field. Fields it does not know are passed over.
Result<Record> record_from(RecordKind kind, const Json& json);

}  // namespace brigada
