#include "net/http.h"

#include <algorithm>
#include <span>

#include "base/append_all.h"
#include "base/check.h"
#include "net/http_grammar.h"

namespace brigada {

namespace {

constexpr std::pair<HttpMethod, std::string_view> kMethods[] = {
    {HttpMethod::get, "GET"},         {HttpMethod::head, "HEAD"},   {HttpMethod::post, "POST"},
    {HttpMethod::put, "PUT"},         {HttpMethod::patch, "PATCH"}, {HttpMethod::del, "DELETE"},
    {HttpMethod::options, "OPTIONS"},
};

constexpr std::pair<int, std::string_view> kReasons[] = {
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {529, "Overloaded"},
};

bool ends_line(char c) {
    return c == '\r' || c == '\n' || c == '\0';
}

/// Most names already differ in length.
bool is_named(const HttpHeaders::Field& field, std::string_view name) {
    return field.name.size() == name.size() && equal_without_case(field.name, name);
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::string_view to_string(HttpMethod method) {
    for (const auto& [known, word] : kMethods)
        if (known == method) return word;
    CHECK(false, "no such method: ", static_cast<int>(method));
    return {};
}

std::optional<HttpMethod> parse_http_method(std::string_view word) {
    for (const auto& [method, known] : kMethods)
        if (known == word) return method;
    return std::nullopt;
}

std::string_view http_reason(int status) {
    const auto* found =
        std::ranges::lower_bound(kReasons, status, {}, &std::pair<int, std::string_view>::first);
    return found != std::end(kReasons) && found->first == status ? found->second : "Unknown";
}

HttpHeaders::HttpHeaders(std::initializer_list<Field> fields) {
    for (const Field& field : fields)
        add(field.name, field.value);
}

void HttpHeaders::add(std::string_view name, std::string_view value) {
    CHECK(is_http_token(name), "not a header name: '", name, "'");
    CHECK(text_.size() + name.size() + value.size() <= UINT32_MAX);
    if (spans_.empty()) {  // room for a usual head, so that it does not grow step by step
        spans_.reserve(16);
        text_.reserve(512);
    }
    const auto begin = static_cast<uint32_t>(text_.size());
    const auto name_size = static_cast<uint32_t>(name.size());
    append_all(text_, name, value);
    if (has_control_char(value))
        std::ranges::replace_if(std::span(text_).subspan(begin + name_size), ends_line, ' ');
    spans_.push_back({begin, name_size, begin + name_size, static_cast<uint32_t>(value.size())});
}

std::optional<std::string_view> HttpHeaders::get(std::string_view name) const {
    for (size_t i = 0; i < size(); ++i)
        if (is_named((*this)[i], name)) return (*this)[i].value;
    return std::nullopt;
}

std::vector<std::string_view> HttpHeaders::get_all(std::string_view name) const {
    std::vector<std::string_view> values;
    for (size_t i = 0; i < size(); ++i)
        if (is_named((*this)[i], name)) values.push_back((*this)[i].value);
    return values;
}

bool HttpHeaders::lists(std::string_view name, std::string_view token) const {
    for (std::string_view rest : get_all(name)) {
        while (!rest.empty()) {
            const size_t comma = std::min(rest.find(','), rest.size());
            if (equal_without_case(trim_blanks(rest.substr(0, comma)), token)) return true;
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    }
    return false;
}

HttpHeaders::Field HttpHeaders::operator[](size_t i) const {
    const Span& span = spans_[i];
    const char* text = text_.data();
    return {{text + span.name_begin, span.name_size}, {text + span.value_begin, span.value_size}};
}

void HttpHeaders::clear() {
    text_.clear();
    spans_.clear();
}

std::optional<std::string> HttpRequest::query_value(std::string_view name) const {
    std::string_view rest = query;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view pair = rest.substr(0, end);
        const size_t equals = std::min(pair.find('='), pair.size());
        if (pair.substr(0, equals) == name) {
            const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
            return percent_decode(value).value_or(std::string(value));
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::nullopt;
}

Result<std::string> percent_decode(std::string_view text) {
    if (!text.contains('%')) return std::string(text);
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out.push_back(text[i]);
            continue;
        }
        const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0)
            return Error{
                Code::invalid_argument,
                concat("'", text.substr(i, 3), "' is not a percent-escape; write a '%' as %25")};
        const int byte = high * 16 + low;
        if (byte < 0x20 || byte == 0x7f)
            return Error{Code::invalid_argument,
                         concat("'", text.substr(i, 3), "' hides a control character")};
        out.push_back(static_cast<char>(byte));
        i += 2;
    }
    return out;
}

}  // namespace brigada
