#include "net/http2_fields.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/digits.h"
#include "net/http_grammar.h"

namespace brigada {

namespace {

constexpr std::array<std::string_view, 8> kOfOneConnection = {
    "connection", "content-length",    "host",    "keep-alive",
    "te",         "transfer-encoding", "upgrade", "proxy-connection"};

std::string in_lower_case(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

size_t body_bytes(const HttpCall& call) {
    size_t sum = 0;
    for (const std::string_view part : call.body)
        sum += part.size();
    return sum;
}

}  // namespace

bool is_end_to_end(std::string_view name) {
    return std::ranges::none_of(kOfOneConnection, [&](std::string_view other) {
        return name.size() == other.size() && equal_without_case(name, other);
    });
}

std::string authority_of(const HttpCall& call) {
    const bool v6 = call.host.find(':') != std::string::npos;
    std::string out = v6 ? "[" + call.host + "]" : call.host;
    if (call.port == (call.tls ? 443 : 80)) return out;
    out += ':';
    append_decimal(out, call.port);
    return out;
}

Http2Fields::Http2Fields(const HttpCall& call) {
    add(":method", to_string(call.method));
    add(":scheme", call.tls ? "https" : "http");
    add(":authority", keep(authority_of(call)));
    add(":path", call.target);
    for (size_t i = 0; i < call.headers.size(); ++i)
        if (is_end_to_end(call.headers[i].name))
            add(keep(in_lower_case(call.headers[i].name)), call.headers[i].value);
    if (!call.body.empty()) add("content-length", keep(std::to_string(body_bytes(call))));
}

void Http2Fields::add(std::string_view name, std::string_view value) {
    const auto bytes = [](std::string_view text) {
        return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(text.data()));
    };
    list_.push_back({bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
}

std::string_view Http2Fields::keep(std::string text) {
    return texts_.emplace_back(std::move(text));
}

}  // namespace brigada
