#include "gateway/shared/redis_address.h"

#include <charconv>
#include <string_view>

#include "base/concat.h"

namespace brigada {

namespace {

Error wrong(std::string_view what) {
    return {
        Code::invalid_argument,
        concat("redis_url: ", what,
               "; it reads redis://[user:password@]host[:port][/database], or rediss:// for TLS")};
}

template <typename T>
bool read_number(std::string_view text, T& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size();
}

std::string percent_decoded(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        uint8_t byte = 0;
        const auto hex = text.substr(i + 1, 2);
        if (text[i] == '%' && hex.size() == 2 &&
            std::from_chars(hex.data(), hex.data() + 2, byte, 16).ptr == hex.data() + 2) {
            out.push_back(static_cast<char>(byte));
            i += 2;
        } else {
            out.push_back(text[i]);
        }
    }
    return out;
}

/// Takes what stands before the first `mark` off the front; nothing when there is none.
bool take_before(std::string_view& rest, char mark, std::string_view& out) {
    const size_t at = rest.find(mark);
    if (at == rest.npos) return false;
    out = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    return true;
}

void read_credentials(std::string_view text, RedisAddress& out) {
    std::string_view user;
    if (take_before(text, ':', user)) out.user = percent_decoded(user);
    out.password = percent_decoded(text);
}

/// "host", "host:6379", "[::1]:6379".
bool read_host(std::string_view text, RedisAddress& out) {
    std::string_view host, port;
    if (text.starts_with('[')) {
        text.remove_prefix(1);
        if (!take_before(text, ']', host)) return false;
        if (!text.empty() && !text.starts_with(':')) return false;
        port = text.empty() ? text : text.substr(1);
    } else if (!take_before(text, ':', host)) {
        host = text;
    } else {
        port = text;
    }
    out.host = host;
    return !host.empty() && (port.empty() || (read_number(port, out.port) && out.port > 0));
}

Result<RedisAddress> read_url(std::string_view url) {
    constexpr std::string_view kPlain = "redis://", kTls = "rediss://";
    RedisAddress out{.is_tls = url.starts_with(kTls)};
    if (!out.is_tls && !url.starts_with(kPlain)) return wrong("it must begin with redis://");
    url.remove_prefix(out.is_tls ? kTls.size() : kPlain.size());
    if (const size_t query = url.find('?'); query != url.npos)
        return wrong("options have no effect");
    if (const size_t last = url.rfind('@'); last != url.npos) {
        read_credentials(url.substr(0, last), out);
        url.remove_prefix(last + 1);
    }
    if (const size_t slash = url.find('/'); slash != url.npos) {
        const std::string_view database = url.substr(slash + 1);
        url = url.substr(0, slash);
        if (!database.empty() && (!read_number(database, out.database) || out.database < 0))
            return wrong("the database must be a number");
    }
    if (!read_host(url, out)) return wrong("no host, or a port that is none");
    return out;
}

}  // namespace

Result<RedisAddress> redis_address(const RedisSettings& settings) {
    if (!settings.url.empty()) return read_url(settings.url.reveal());
    return RedisAddress{
        .host = settings.host, .port = settings.port, .password = settings.password.reveal()};
}

}  // namespace brigada
