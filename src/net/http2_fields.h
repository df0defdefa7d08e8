// Http2Fields: a request's head as HTTP/2 has it: pseudo fields first, names in lower case, nothing
// that speaks of one connection. Source: RFC 9113 §8.
#pragma once

#include <nghttp2/nghttp2.h>

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_client.h"

namespace brigada {

class Http2Fields {
  public:
    /// `call` must outlive it.
    explicit Http2Fields(const HttpCall& call);
    Http2Fields(const Http2Fields&) = delete;
    Http2Fields& operator=(const Http2Fields&) = delete;

    std::span<const nghttp2_nv> list() const { return list_; }

  private:
    void add(std::string_view name, std::string_view value);
    std::string_view keep(std::string text);

    std::deque<std::string> texts_;  // what was made here
    std::vector<nghttp2_nv> list_;
};

/// Whether the field may go with a request on any connection; framing and the host are said
/// otherwise.
bool is_end_to_end(std::string_view name);

/// "a.example:8443"; without the scheme's own port, with brackets around IPv6.
std::string authority_of(const HttpCall& call);

}  // namespace brigada
