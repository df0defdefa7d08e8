// What the front door reads of a body, from any bytes (the first one chooses the dialect): read or
// refused, never a crash; what is JSON for the checked tree is JSON here, too, and so is what goes
// on to an upstream.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "dialect/json_tree.h"
#include "gateway/call_body.h"
#include "gateway/prompt_keys.h"
#include "gateway/upstream_call.h"
#include "net/http.h"

namespace brigada {
namespace {

bool is_json(std::string text) {
    text.reserve(text.size() + kBodyPadding);
    return JsonTree::parse(text).ok();
}

std::string sent(std::string_view text, const CallBody& body) {
    std::string out;
    for (const std::string_view piece : spliced(text, upstream_edits(body, "up")))
        out += piece;
    return out;
}

void run(std::string text) {
    if (text.empty()) return;
    const auto dialect = kDialects[static_cast<uint8_t>(text[0]) % std::size(kDialects)];
    text.erase(0, 1);
    text.reserve(text.size() + kBodyPadding);
    const bool was_json = is_json(text);
    const auto body = read_call_body(text, dialect);
    if (!body.ok()) {
        const std::string& why = body.error().message;
        CHECK(!was_json || (!why.contains("not a JSON object") && !why.contains("levels deep")),
              why);
        return;
    }
    prompt_keys(*body, dialect, "red");
    const std::string edited = sent(text, *body);
    CHECK(!was_json || is_json(edited), edited);
}

}  // namespace
}  // namespace brigada

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    brigada::run({reinterpret_cast<const char*>(data), size});
    return 0;
}
