#include "gateway/seen/http_post.h"

#include <curl/curl.h>

#include <mutex>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, FreeList>;

void append(List& list, const std::string& line) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    CHECK(longer != nullptr);
    (void)list.release();
    list.reset(longer);
}

size_t throw_away(char*, size_t, size_t size, void*) {
    return size;
}

PostOutcome outcome_of(long status) {
    using enum PostOutcome::Kind;
    std::string words = concat("HTTP ", status);
    if (status >= 200 && status < 300) return {taken, std::move(words)};
    const bool later = status == 408 || status == 429 || status >= 500;
    return {later ? try_again : refused, std::move(words)};
}

}  // namespace

void HttpPost::Free::operator()(void* curl) const {
    curl_easy_cleanup(curl);
}

HttpPost::HttpPost(std::string url, Duration timeout) : url_(std::move(url)), timeout_(timeout) {
    static std::once_flag once;
    std::call_once(once, [] { CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK); });
    curl_.reset(curl_easy_init());
    CHECK(curl_ != nullptr);
}

HttpPost::~HttpPost() = default;

PostOutcome HttpPost::post(const PostHeaders& headers, std::string_view body) {
    List list;
    for (const auto& [name, value] : headers)
        append(list, concat(name, ": ", value));
    append(list, "Expect:");  // no 100-continue: it costs a round trip
    CURL* curl = curl_.get();
    curl_easy_reset(curl);  // keeps the connection
    curl_easy_setopt(curl, CURLOPT_URL, url_.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_.ms()));
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "brigada");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list.get());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, throw_away);
    const CURLcode code = curl_easy_perform(curl);
    if (code != CURLE_OK) return {PostOutcome::Kind::try_again, curl_easy_strerror(code)};
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return outcome_of(status);
}

}  // namespace brigada
