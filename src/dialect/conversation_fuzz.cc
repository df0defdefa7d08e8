// Any bytes as a request of each dialect, written in each other one and read again. Nothing may
// crash, what is written is JSON, and what one of us writes the other reads.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/json.h"
#include "dialect/padded_for_tests.h"
#include "dialect/read_conversation.h"
#include "dialect/write_conversation.h"

namespace brigada {
namespace {

constexpr Dialect kAll[] = {Dialect::chat, Dialect::messages, Dialect::responses};

void write_and_read_again(const Conversation& conversation, Dialect to) {
    Result<WrittenRequest> written = write_conversation(conversation, to, "m\"\n");
    if (!written.ok()) return;
    const std::string body = padded(std::move(written->body));
    CHECK(Json::accept(body), body);
    const auto again = read_conversation(body, to);
    CHECK(again.ok() || again.error().message.contains("nested deeper"),
          again.ok() ? "" : again.error().message, "\n", body);
}

}  // namespace
}  // namespace brigada

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    const std::string body = padded(std::string(reinterpret_cast<const char*>(data), size));
    for (const Dialect from : kAll) {
        const auto conversation = read_conversation(body, from);
        if (!conversation.ok()) continue;
        for (const Dialect to : kAll)
            if (to != from) write_and_read_again(*conversation, to);
    }
    return 0;
}
