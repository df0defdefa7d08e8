#include "net/http_grammar.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace brigada {

namespace {

// What a message may quote of a peer's bytes: its beginning, printable.
std::string quoted(std::string_view text) {
    std::string out = "'";
    for (char c : text.substr(0, 40))
        out.push_back(c >= 0x20 && c < 0x7f ? c : '?');
    return out + (text.size() > 40 ? "...'" : "'");
}

/// Of each byte, whether it may stand in a token.
constexpr auto kTokenChars = [] {
    std::array<bool, 256> out{};
    for (unsigned char c = '0'; c <= '9'; ++c)
        out[c] = true;
    for (unsigned char c = 'a'; c <= 'z'; ++c)
        out[c] = out[c - 'a' + 'A'] = true;
    for (const unsigned char c : std::string_view("!#$%&'*+-.^_`|~"))
        out[c] = true;
    return out;
}();

bool is_control_char(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// At once: some byte is below the space, or DEL, when its top bit is left in these differences.
bool has_control_in_eight(const char* eight) {
    constexpr uint64_t kEach = 0x0101010101010101;
    constexpr uint64_t kTops = 0x80 * kEach;
    uint64_t text = 0;
    std::memcpy(&text, eight, sizeof text);
    const uint64_t no_delete = text ^ (0x7f * kEach);
    const uint64_t below_space = (text - 0x20 * kEach) & ~text;
    const uint64_t is_delete = (no_delete - kEach) & ~no_delete;
    return ((below_space | is_delete) & kTops) != 0;
}

bool are_field_chars(std::string_view text) {
    return !has_control_char(text) ||
           std::ranges::none_of(text, [](char c) { return is_control_char(c) && c != '\t'; });
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool starts_without_case(std::string_view text, std::string_view prefix) {
    return equal_without_case(text.substr(0, prefix.size()), prefix);
}

HttpError bad(std::string message) {
    return {400, std::move(message), {}};
}

// "http://host:1/path?q" -> "/path?q". An origin-form target is left as it is.
std::optional<HttpError> strip_authority(std::string_view& target, std::string& storage) {
    size_t begin = 0;
    if (starts_without_case(target, "http://")) begin = 7;
    if (starts_without_case(target, "https://")) begin = 8;
    if (begin == 0) return std::nullopt;
    const size_t end = std::min(target.find_first_of("/?", begin), target.size());
    const std::string_view authority = target.substr(begin, end - begin);
    if (authority.empty() || authority.find('@') != std::string_view::npos)
        return bad(concat("the target ", quoted(target), " has no usable host"));
    storage = target.substr(end);
    if (storage.empty() || storage.front() != '/') storage.insert(storage.begin(), '/');
    target = storage;
    return std::nullopt;
}

std::optional<HttpError> parse_target(std::string_view target, HttpRequest& request) {
    const auto unfit = [](char c) { return c <= 0x20 || c >= 0x7f || c == '#'; };
    if (std::ranges::any_of(target, unfit))
        return bad(concat("the target ", quoted(target),
                          " holds a character that must be percent-encoded"));
    std::string storage;
    if (auto error = strip_authority(target, storage)) return error;
    const bool asterisk = target == "*" && request.method == HttpMethod::options;
    if (!asterisk && !target.starts_with('/'))
        return bad(concat("the target ", quoted(target), " must begin with '/'"));

    const size_t mark = std::min(target.find('?'), target.size());
    Result<std::string> path = percent_decode(target.substr(0, mark));
    if (!path.ok()) return bad(concat("in the path: ", path.error().message));
    request.path = *std::move(path);
    request.query = target.substr(std::min(mark + 1, target.size()));
    request.target = target;
    return std::nullopt;
}

// "HTTP/1.1" -> 1; nullopt when it is not HTTP/1.x.
std::optional<int> parse_minor_version(std::string_view version) {
    if (version.size() != 8 || !version.starts_with("HTTP/1.")) return std::nullopt;
    const char digit = version[7];
    if (digit < '0' || digit > '9') return std::nullopt;
    return digit - '0';
}

bool looks_like_version(std::string_view version) {
    return version.starts_with("HTTP/");
}

}  // namespace

bool is_http_token(std::string_view text) {
    bool fits = !text.empty();
    for (const unsigned char c : text)
        fits &= kTokenChars[c];
    return fits;
}

bool has_control_char(std::string_view text) {
    if (text.size() < 8) return std::ranges::any_of(text, is_control_char);
    const char* last = text.data() + text.size() - 8;
    for (const char* at = text.data(); at < last; at += 8)
        if (has_control_in_eight(at)) return true;
    return has_control_in_eight(last);
}

bool equal_without_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return x == y || lower(x) == lower(y); });
}

std::string_view trim_blanks(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<uint64_t> parse_decimal(std::string_view digits) {
    if (digits.empty()) return std::nullopt;
    uint64_t value = 0;
    for (char c : digits) {
        if (c < '0' || c > '9') return std::nullopt;
        const auto digit = static_cast<uint64_t>(c - '0');
        if (value > (std::numeric_limits<uint64_t>::max() - digit) / 10) return std::nullopt;
        value = value * 10 + digit;
    }
    return value;
}

std::optional<HttpError> parse_request_line(std::string_view line, const HttpLimits& limits,
                                            HttpRequest& request) {
    const size_t first = line.find(' ');
    const size_t last = line.rfind(' ');
    if (first == std::string_view::npos || first == last)
        return bad(concat("the request line ", quoted(line), " is not METHOD TARGET HTTP/1.1"));
    const std::string_view method = line.substr(0, first);
    const std::string_view target = line.substr(first + 1, last - first - 1);
    const std::string_view version = line.substr(last + 1);

    const std::optional<int> minor = parse_minor_version(version);
    if (!minor && looks_like_version(version))
        return HttpError{505, concat(quoted(version), " is not spoken here; use HTTP/1.1"), {}};
    if (!minor || !is_http_token(method))
        return bad(concat("the request line ", quoted(line), " is not METHOD TARGET HTTP/1.1"));
    if (target.size() > limits.target_bytes)
        return HttpError{414,
                         concat("the target has ", target.size(), " bytes; at most ",
                                limits.target_bytes, " are read"),
                         {}};
    const std::optional<HttpMethod> known = parse_http_method(method);
    if (!known)
        return HttpError{
            501,
            concat("the method ", quoted(method),
                   " is not served; use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS"),
            {}};
    request.method = *known;
    request.minor_version = std::min(*minor, 1);
    return parse_target(target, request);
}

Result<void> parse_status_line(std::string_view line, HttpResponseHead& head) {
    const std::optional<int> minor = parse_minor_version(line.substr(0, 8));
    const bool shaped = minor && line.size() >= 12 && line[8] == ' ' &&
                        (line.size() == 12 || line[12] == ' ') && are_field_chars(line.substr(12));
    const std::optional<uint64_t> status = shaped ? parse_decimal(line.substr(9, 3)) : std::nullopt;
    if (!status || *status < 100)
        return Error{Code::corrupt, concat("the status line ", quoted(line), " is not HTTP/1.1")};
    head.status = static_cast<int>(*status);
    head.minor_version = std::min(*minor, 1);
    return {};
}

Result<void> parse_field_line(std::string_view line, HttpHeaders& headers) {
    if (line.starts_with(' ') || line.starts_with('\t'))
        return Error{Code::invalid_argument, "a header field is folded over several lines"};
    const size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    if (colon == line.size() || !is_http_token(name))
        return Error{Code::invalid_argument,
                     concat("the header ", quoted(line), " is not NAME: VALUE")};
    const std::string_view value = trim_blanks(line.substr(colon + 1));
    if (!are_field_chars(value))
        return Error{Code::invalid_argument,
                     concat("the header ", quoted(name), " holds a control character")};
    headers.add(name, value);
    return {};
}

std::optional<HttpError> request_framing(const HttpRequest& request, const HttpLimits& limits,
                                         BodyFraming& framing) {
    const std::vector<std::string_view> codings = request.headers.get_all("transfer-encoding");
    const std::vector<std::string_view> lengths = request.headers.get_all("content-length");
    framing = {};
    if (!codings.empty()) {
        if (!lengths.empty()) return bad("both Transfer-Encoding and Content-Length; send one");
        if (request.minor_version == 0) return bad("Transfer-Encoding in an HTTP/1.0 request");
        if (codings.size() > 1) return bad("more than one Transfer-Encoding field; send one");
        if (!equal_without_case(codings[0], "chunked"))
            return HttpError{501,
                             concat("Transfer-Encoding ", quoted(codings[0]),
                                    " is not read; send chunked, or a Content-Length"),
                             {}};
        framing.kind = BodyFraming::Kind::chunked;
        return std::nullopt;
    }
    if (lengths.empty()) return std::nullopt;
    if (lengths.size() > 1) return bad("more than one Content-Length field; send one");
    const std::optional<uint64_t> length = parse_decimal(lengths[0]);
    if (!length)
        return bad(concat("Content-Length ", quoted(lengths[0]), " is not a number of bytes"));
    if (*length > limits.body_bytes)
        return HttpError{
            413,
            concat("the body has ", *length, " bytes; at most ", limits.body_bytes, " are read"),
            {}};
    framing = {*length == 0 ? BodyFraming::Kind::none : BodyFraming::Kind::length, *length};
    return std::nullopt;
}

Result<BodyFraming> response_framing(const HttpResponseHead& head, HttpMethod method) {
    if (method == HttpMethod::head || head.status == 204 || head.status == 304)
        return BodyFraming{};
    const std::vector<std::string_view> codings = head.headers.get_all("transfer-encoding");
    const std::vector<std::string_view> lengths = head.headers.get_all("content-length");
    if (!codings.empty()) {
        if (!lengths.empty())
            return Error{Code::corrupt, "the response has Transfer-Encoding and Content-Length"};
        if (codings.size() > 1 || !equal_without_case(codings[0], "chunked"))
            return Error{Code::corrupt,
                         concat("the response has Transfer-Encoding ", quoted(codings[0]))};
        return BodyFraming{BodyFraming::Kind::chunked, 0};
    }
    if (lengths.empty()) return BodyFraming{BodyFraming::Kind::until_close, 0};
    const std::optional<uint64_t> length = parse_decimal(lengths[0]);
    const bool agree =
        std::ranges::all_of(lengths, [&](auto other) { return other == lengths[0]; });
    if (!length || !agree)
        return Error{Code::corrupt, concat("the response has Content-Length ", quoted(lengths[0]))};
    return BodyFraming{*length == 0 ? BodyFraming::Kind::none : BodyFraming::Kind::length, *length};
}

std::optional<HttpError> check_host(const HttpRequest& request) {
    const std::vector<std::string_view> hosts = request.headers.get_all("host");
    if (hosts.size() > 1) return bad("more than one Host field; send one");
    if (hosts.empty() && request.minor_version >= 1)
        return bad("no Host field; HTTP/1.1 needs one");
    if (!hosts.empty() && hosts[0].find_first_of(" \t/@,") != std::string_view::npos)
        return bad(concat("Host ", quoted(hosts[0]), " is not a host"));
    return std::nullopt;
}

}  // namespace brigada
