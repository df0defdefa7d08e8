// Any bytes as an audit log: read to the end or refused, never more. What is read whole must end in
// a head that another event continues.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "base/check.h"
#include "ledger/audit_log.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    std::string text(reinterpret_cast<const char*>(data), size);
    std::istringstream in(text);
    uint64_t torn_bytes = 0;
    const auto head = follow_audit_log(in, torn_bytes);
    if (!head.ok()) return 0;
    text.resize(text.size() - torn_bytes);
    AuditHead expected = *head;
    text += audit_line({.actor = "a", .action = "b", .object = "c"}, expected);
    std::istringstream longer(text);
    const auto followed = follow_audit_log(longer, torn_bytes);
    CHECK(followed.ok(), followed.error().message);
    CHECK(*followed == expected);
    return 0;
}
