// HttpPost: one POST after the other to one address, over libcurl, with the connection kept between
// them. For threads that may wait: what is told to collectors and webhooks never goes over the loop
// that serves calls.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace brigada {

/// What became of one POST.
struct PostOutcome {
    enum class Kind {
        taken,      // 2xx
        try_again,  // no connection, a timeout, 429 or 5xx: the same may be taken later
        refused,    // any other status: it will be refused again
    };
    Kind kind = Kind::try_again;
    std::string words = {};  // "HTTP 503", "Couldn't connect to server"; never a header or a URL
};

using PostHeaders = std::vector<std::pair<std::string, std::string>>;

/// One thread at a time.
class HttpPost {
  public:
    /// `url` is http or https; certificates are verified.
    explicit HttpPost(std::string url, Duration timeout = Duration::seconds(10));
    ~HttpPost();

    /// Waits for the answer, whose body is thrown away. Redirects are not followed: they would
    /// carry headers and facts to somebody else.
    PostOutcome post(const PostHeaders& headers, std::string_view body);

  private:
    struct Free {
        void operator()(void* curl) const;
    };
    std::string url_;
    Duration timeout_;
    std::unique_ptr<void, Free> curl_;
};

}  // namespace brigada
