// Any bytes through the request and response parsers: they must not crash, and must say the same
// however the bytes are cut. The first byte of the input seeds the cuts.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/rng.h"
#include "net/http_parser.h"

namespace brigada {
namespace {

std::string describe(RequestParser& parser, size_t used) {
    if (const HttpError* error = parser.error())
        return concat("error ", error->status, " ", error->message, " ", error->path);
    const HttpRequest& request = parser.request();
    std::string out = concat(parser.complete() ? "complete " : "begun ", used, " ", request.target,
                             " ", request.path, " ", request.query, " ", request.keep_alive, "\n");
    for (size_t i = 0; i < request.headers.size(); ++i)
        out += concat(request.headers[i].name, ": ", request.headers[i].value, "\n");
    return out + request.body.substr(0, static_cast<size_t>(parser.body_received()));
}

std::string parse_request(std::string_view bytes, Rng* cuts) {
    HttpLimits limits;
    limits.target_bytes = 64;
    limits.head_bytes = 512;
    limits.header_count = 8;
    limits.body_bytes = 4096;
    BodyPool bodies;
    RequestParser parser(limits, bodies);
    size_t used = 0;
    while (used < bytes.size() && !parser.complete() && !parser.error()) {
        const std::string_view next = bytes.substr(used, cuts ? 1 + cuts->below(12) : bytes.size());
        const std::span<char> room =
            cuts && cuts->chance(0.5) ? parser.body_room() : std::span<char>();
        if (room.empty()) {
            used += parser.feed(next);
            continue;
        }
        const size_t size = std::min(room.size(), next.size());
        std::ranges::copy(next.substr(0, size), room.begin());
        parser.body_filled(size);
        used += size;
    }
    return describe(parser, used);
}

std::string parse_response(std::string_view bytes, Rng* cuts) {
    ResponseParser parser(HttpMethod::get, 512, 8);
    std::string body;
    while (!bytes.empty() && !parser.complete()) {
        const auto step = parser.next(bytes.substr(0, cuts ? 1 + cuts->below(12) : bytes.size()));
        if (!step.ok()) return "error " + step.error().message;
        CHECK(step->used > 0 && step->data.size() <= step->used);
        body.append(step->data);
        bytes.remove_prefix(step->used);
    }
    const Result<void> end = parser.end();
    return concat(parser.head().status, parser.complete(), end.ok(), bytes.size(), " ", body);
}

}  // namespace
}  // namespace brigada

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace brigada;
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    Rng cuts(data[0]);
    CHECK(parse_request(bytes, nullptr) == parse_request(bytes, &cuts));
    CHECK(parse_response(bytes, nullptr) == parse_response(bytes, &cuts));
    return 0;
}
