#include "gateway/config/upstream_address.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace brigada {
namespace {

struct HostAndPort {
    std::string_view host;
    std::optional<std::string_view> port;
};

Error malformed(std::string_view what) {
    return {Code::invalid_argument, std::string(what)};
}

/// Blanks and control characters would end up in a request line.
bool is_visible(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

Result<HostAndPort> split_authority(std::string_view text) {
    if (text.starts_with('[')) {
        const size_t end = text.find(']');
        if (end == text.npos) return malformed("the bracket of its IPv6 address is not closed");
        const std::string_view rest = text.substr(end + 1);
        const std::string_view host = text.substr(1, end - 1);
        if (rest.empty()) return HostAndPort{host, std::nullopt};
        if (!rest.starts_with(':')) return malformed("after ']' only :PORT may follow");
        return HostAndPort{host, rest.substr(1)};
    }
    const size_t colon = text.find(':');
    if (colon == text.npos) return HostAndPort{text, std::nullopt};
    if (text.find(':', colon + 1) != text.npos)
        return malformed("an IPv6 address needs brackets, as in [::1]:8000");
    return HostAndPort{text.substr(0, colon), text.substr(colon + 1)};
}

Result<uint16_t> parse_port(std::string_view text) {
    uint16_t port = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (code != std::errc() || end != text.data() + text.size() || port == 0)
        return malformed("its port must be a number from 1 to 65535");
    return port;
}

}  // namespace

Result<UpstreamAddress> parse_upstream_address(std::string_view text) {
    UpstreamAddress out;
    const bool is_tls = text.starts_with("https://");
    if (!is_tls && !text.starts_with("http://"))
        return malformed("must begin with http:// or https://");
    if (!is_visible(text)) return malformed("must be plain ASCII without blanks");
    out.scheme = is_tls ? "https" : "http";
    text.remove_prefix(out.scheme.size() + 3);

    const size_t slash = std::min(text.find('/'), text.size());
    const std::string_view authority = text.substr(0, slash);
    std::string_view path = text.substr(slash);
    if (authority.find('@') != authority.npos)
        return malformed("must not contain a user name or password; give a key as api_key");
    if (text.find_first_of("?#") != text.npos) return malformed("must not contain '?' or '#'");
    TRY(const HostAndPort parts, split_authority(authority));
    if (parts.host.empty()) return malformed("names no host");
    while (path.ends_with('/'))
        path.remove_suffix(1);
    out.host = parts.host;
    out.base_path = path;
    out.port = is_tls ? 443 : 80;
    if (parts.port) {
        TRY(out.port, parse_port(*parts.port));
    }
    return out;
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
    ListenAddress out;
    if (!is_visible(text)) return malformed("must be plain ASCII without blanks");
    TRY(const HostAndPort parts, split_authority(text));
    if (!parts.port) return malformed("must be HOST:PORT, as in 0.0.0.0:4000");
    TRY(out.port, parse_port(*parts.port));
    out.host = parts.host.empty() ? "0.0.0.0" : parts.host;
    return out;
}

}  // namespace brigada
