#include "grammar/string_formats.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/concat.h"

namespace brigada {

namespace {

/// Years from 0001; February 29th in the years that have one.
constexpr std::string_view kDate =
    "(?:(?:[1-9]\\d{3}|0[1-9]\\d{2}|00[1-9]\\d|000[1-9])-"
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|"
    "02-(?:0[1-9]|1\\d|2[0-8]))|"
    "(?:\\d{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29)";

constexpr std::string_view kTime =
    "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,6})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)";

constexpr std::string_view kDuration =
    "P(?:\\d{1,9}W|(?:\\d{1,9}Y(?:\\d{1,9}M(?:\\d{1,9}D)?)?|\\d{1,9}M(?:\\d{1,9}D)?|\\d{1,9}D)"
    "(?:T(?:\\d{1,9}H(?:\\d{1,9}M(?:\\d{1,9}S)?)?|\\d{1,9}M(?:\\d{1,9}S)?|\\d{1,9}S))?|"
    "T(?:\\d{1,9}H(?:\\d{1,9}M(?:\\d{1,9}S)?)?|\\d{1,9}M(?:\\d{1,9}S)?|\\d{1,9}S))";

constexpr std::string_view kLabel = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
constexpr std::string_view kOctet = "(?:25[0-5]|2[0-4]\\d|1\\d{2}|[1-9]?\\d)";
constexpr std::string_view kHextet = "[0-9A-Fa-f]{1,4}";
constexpr std::string_view kUuid =
    "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}";

/// Characters of a URI without their delimiters, and escaped ones. Source: RFC 3986.
constexpr std::string_view kUriCharacter = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})";

std::string hostname() {
    return concat(kLabel, "(?:\\.", kLabel, "){0,3}");
}

std::string ipv4() {
    return concat(kOctet, "(?:\\.", kOctet, "){3}");
}

/// Eight groups; or fewer around one "::", which stands for at least one. Without the mixed form.
std::string ipv6() {
    std::string out = concat("(?:(?:", kHextet, ":){7}", kHextet);
    for (int before = 0; before <= 7; ++before) {
        const int after = 7 - before;
        std::string left =
            before == 0 ? std::string(":") : concat("(?:", kHextet, ":){", before, "}");
        out += concat("|", left, ":");
        if (after > 0) out += concat("(?:", kHextet, "(?::", kHextet, "){0,", after - 1, "})?");
    }
    return out + ")";
}

/// Before its query and its fragment: a path, after an authority or without one.
std::string uri_path() {
    const std::string segments = concat("(?:/", kUriCharacter, "*)*");
    const std::string authority =
        concat("//(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+(?::\\d{1,5})?");
    return concat("(?:", authority, segments, "|/(?:", kUriCharacter, "+", segments, ")?|",
                  kUriCharacter, "+", segments, ")");
}

std::string uri_tail() {
    return concat("(?:\\?(?:", kUriCharacter, "|[/?])*)?(?:#(?:", kUriCharacter, "|[/?])*)?");
}

std::string uri() {
    return concat("[A-Za-z][A-Za-z0-9+.-]*:", uri_path(), uri_tail());
}

/// The first segment of a relative path has no colon, which would make it a scheme.
std::string uri_reference() {
    const std::string plain = "(?:[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})";
    const std::string segments = concat("(?:/", kUriCharacter, "*)*");
    return concat("(?:", uri(), "|(?:/(?:", kUriCharacter, "+", segments, ")?|", plain, "+",
                  segments, ")?", uri_tail(), ")");
}

std::string email() {
    return concat("[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+){0,3}@",
                  kLabel, "(?:\\.", kLabel, "){1,3}");
}

std::string json_pointer() {
    return "(?:/(?:[^/~]|~[01])*)*";
}

}  // namespace

Result<std::string> format_regex(std::string_view name) {
    if (name == "date") return std::string(kDate);
    if (name == "time") return std::string(kTime);
    if (name == "date-time") return concat(kDate, "T", kTime);
    if (name == "duration") return std::string(kDuration);
    if (name == "uuid") return std::string(kUuid);
    if (name == "email" || name == "idn-email") return email();
    if (name == "hostname" || name == "idn-hostname") return hostname();
    if (name == "ipv4") return ipv4();
    if (name == "ipv6") return ipv6();
    if (name == "uri" || name == "iri") return uri();
    if (name == "uri-reference" || name == "iri-reference") return uri_reference();
    if (name == "json-pointer") return json_pointer();
    constexpr std::array<std::string_view, 3> kRefused = {"uri-template", "relative-json-pointer",
                                                          "regex"};
    if (std::find(kRefused.begin(), kRefused.end(), name) != kRefused.end())
        return Error{Code::unsupported,
                     concat("\"", name,
                            "\" is not understood; date-time, date, time, duration, "
                            "uuid, email, hostname, ipv4, ipv6, uri, uri-reference and "
                            "json-pointer are")};
    return std::string();
}

}  // namespace brigada
