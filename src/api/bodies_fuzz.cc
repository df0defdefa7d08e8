// Both request bodies from any bytes: parsed or refused, never a crash.
#include <cstdint>
#include <string>

#include "api/chat_request.h"
#include "api/completion_request.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::string body(reinterpret_cast<const char*>(data), size);
    body.reserve(size + simdjson::SIMDJSON_PADDING);
    const brigada::GenerationLimits limits{.vocab = 1000};
    if (auto chat = brigada::read_chat_request(body, {}, limits); chat.ok())
        CHECK(!chat->messages.empty());
    if (auto completion = brigada::read_completion_request(body, {}, limits); completion.ok())
        CHECK(!completion->prompts.empty());
    return 0;
}
