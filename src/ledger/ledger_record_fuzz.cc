// Any bytes as a call record. What decodes must be stable: encoded, within bounds, it decodes
// again, and encodes to the same bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "ledger/call_record.h"
#include "ledger/csv.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    const auto record = decode_call_record({reinterpret_cast<const char*>(data), size});
    if (!record.ok()) return 0;
    const std::string bytes = encode(*record);
    const auto again = decode_call_record(bytes);
    CHECK(again.ok(), again.error().message);
    CHECK(encode(*again) == bytes);
    CHECK(csv_line(*record).ends_with("\r\n"));
    return 0;
}
