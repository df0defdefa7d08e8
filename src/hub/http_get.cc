#include "hub/http_get.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>

namespace brigada {

namespace {

constexpr long kConnectSeconds = 20;
constexpr long kStallSeconds = 30;  // without a single byte
constexpr long kMostRedirects = 10;
constexpr size_t kMostHeaders = 200;

/// A transfer while libcurl runs it: what its callbacks share.
struct Transfer {
    const OnHead& on_head;
    const OnBody& on_body;
    CURL* curl;
    HttpHead head = {};
    bool head_told = false;
    std::optional<Error> refused = {};  // by on_head or on_body

    bool wanted() const { return head.status == 200 || head.status == 206; }

    bool accept(Result<void> answer) {
        if (!answer) refused = std::move(answer).error();
        return !refused;
    }

    bool tell_head() {
        if (head_told) return true;
        head_told = true;
        return accept(on_head(head));
    }
};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

size_t on_header_line(char* data, size_t, size_t size, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    const std::string_view line(data, size);
    if (line.starts_with("HTTP/")) {
        transfer.head.last.clear();
        return size;
    }
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || transfer.head.first.size() >= kMostHeaders) return size;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::string value(trimmed(line.substr(colon + 1)));
    transfer.head.first.try_emplace(name, value);
    transfer.head.last.insert_or_assign(std::move(name), value);
    return size;
}

size_t on_body_bytes(char* data, size_t, size_t size, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    long status = 0;
    curl_easy_getinfo(transfer.curl, CURLINFO_RESPONSE_CODE, &status);
    transfer.head.status = static_cast<int>(status);
    if (!transfer.wanted()) return size;  // an error page: its status says enough
    if (!transfer.tell_head()) return 0;
    return transfer.accept(transfer.on_body({data, size})) ? size : 0;
}

struct CloseCurl {
    void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlHandle = std::unique_ptr<CURL, CloseCurl>;
using CurlList = std::unique_ptr<curl_slist, CloseCurl>;

CurlHandle new_curl() {
    static std::once_flag once;
    std::call_once(once, [] { CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK); });
    CurlHandle curl(curl_easy_init());
    CHECK(curl != nullptr);
    return curl;
}

void describe_request(CURL* curl, const HttpGet& get, const CurlList& headers) {
    curl_easy_setopt(curl, CURLOPT_URL, get.url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, kMostRedirects);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, kStallSeconds);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "brigada");
    if (headers) curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
    if (get.from > 0) curl_easy_setopt(curl, CURLOPT_RANGE, concat(get.from, "-").c_str());
}

/// libcurl leaves this header out when a redirect goes to another host, port or scheme.
CurlList authorization(const HttpGet& get) {
    if (get.token.empty()) return nullptr;
    return CurlList(
        curl_slist_append(nullptr, concat("Authorization: Bearer ", get.token).c_str()));
}

HttpFailure status_failure(const HttpGet& get, int status) {
    const auto says = [&](Code code, std::string_view what, bool again = false) {
        return HttpFailure{{code, concat(get.url, ": HTTP ", status, ": ", what)}, again};
    };
    if (status == 401 && get.token.empty())
        return says(Code::unauthenticated, "the hub wants a token; set HF_TOKEN");
    if (status == 401) return says(Code::unauthenticated, "the hub does not accept this HF_TOKEN");
    if (status == 403)
        return says(
            Code::forbidden,
            "not allowed; accept the model's terms on the hub, or use a token that may read it");
    if (status == 404) return says(Code::not_found, "no such repository, revision or file");
    if (status == 416)
        return says(Code::corrupt, "the file is shorter than what was fetched before");
    if (status == 429) return says(Code::unavailable, "the hub asks to slow down", true);
    if (status >= 500)
        return says(Code::unavailable, "the hub has a problem; try again later", true);
    return says(Code::unsupported, "not an answer a file comes with");
}

HttpFailure curl_failure(const HttpGet& get, CURLcode code, const char* details) {
    const std::string_view words = *details ? details : curl_easy_strerror(code);
    const auto says = [&](Code kind, std::string_view hint, bool again) {
        return HttpFailure{{kind, concat(get.url, ": ", words, hint)}, again};
    };
    switch (code) {
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_CONNECT:
            return says(Code::unavailable, "; is the network up and HF_ENDPOINT right?", false);
        case CURLE_OPERATION_TIMEDOUT:
        case CURLE_PARTIAL_FILE:
        case CURLE_RECV_ERROR:
        case CURLE_SEND_ERROR:
        case CURLE_GOT_NOTHING:
        case CURLE_HTTP2:
        case CURLE_HTTP2_STREAM:
            return says(Code::io, "", true);
        case CURLE_URL_MALFORMAT:
        case CURLE_UNSUPPORTED_PROTOCOL:
            return says(Code::invalid_argument, "; HF_ENDPOINT must be an http or https address",
                        false);
        default:
            return says(Code::io, "", false);
    }
}

}  // namespace

std::optional<HttpFailure> http_get(const HttpGet& get, const OnHead& on_head,
                                    const OnBody& on_body) {
    const CurlHandle curl = new_curl();
    const CurlList headers = authorization(get);
    Transfer transfer{.on_head = on_head, .on_body = on_body, .curl = curl.get()};
    char details[CURL_ERROR_SIZE] = "";
    describe_request(curl.get(), get, headers);
    curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, details);
    curl_easy_setopt(curl.get(), CURLOPT_HEADERFUNCTION, on_header_line);
    curl_easy_setopt(curl.get(), CURLOPT_HEADERDATA, &transfer);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, on_body_bytes);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &transfer);

    const CURLcode code = curl_easy_perform(curl.get());
    if (transfer.refused) return HttpFailure{*std::move(transfer.refused), false};
    if (code != CURLE_OK) return curl_failure(get, code, details);
    long status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    transfer.head.status = static_cast<int>(status);
    if (!transfer.wanted()) return status_failure(get, transfer.head.status);
    if (!transfer.tell_head())
        return HttpFailure{*std::move(transfer.refused), false};  // empty body
    return std::nullopt;
}

Result<std::string> http_get_text(const HttpGet& get, size_t max_bytes) {
    std::string text;
    auto failure = http_get(
        get, [](const HttpHead&) { return Result<void>(); },
        [&](std::string_view bytes) -> Result<void> {
            if (text.size() + bytes.size() > max_bytes)
                return Error{Code::too_large,
                             concat(get.url, ": more than ", max_bytes, " bytes of answer")};
            text += bytes;
            return {};
        });
    if (failure) return std::move(failure->error);
    return text;
}

}  // namespace brigada
