// UpstreamAddress: where an upstream is reached, cut into the parts a connection needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace brigada {

struct UpstreamAddress {
    std::string scheme = "http";  // or "https"
    std::string host = {};        // a name, an IPv4 address, or an IPv6 address without brackets
    uint16_t port = 80;
    std::string base_path = {};  // "" or "/v1": no slash at its end

    friend bool operator==(const UpstreamAddress&, const UpstreamAddress&) = default;
};

/// "http://HOST[:PORT][/PATH]" or https. Error::invalid_argument says what is wrong and repeats
/// nothing of the text, which may hold a password.
Result<UpstreamAddress> parse_upstream_address(std::string_view text);

struct ListenAddress {
    std::string host = "127.0.0.1";
    uint16_t port = 4000;

    friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

/// "HOST:PORT", "[IPV6]:PORT", or ":PORT" for every address of this machine.
Result<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace brigada
