// Fetcher: HTTP calls for whoever may wait, such as a command: each answer is read whole. It brings
// a loop and a client of its own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "net/http_client.h"

namespace brigada {

struct Fetched {
    int status = 0;
    HttpHeaders headers = {};
    std::string body = {};
};

class Fetcher {
  public:
    Fetcher();
    ~Fetcher();

    /// Not from a loop. Errors as HttpExchange's; too_large for an answer over `max_bytes`.
    Result<Fetched> fetch(const HttpCall& call, size_t max_bytes = 64 << 20);

    /// All at once; answers in the order of the calls.
    std::vector<Result<Fetched>> fetch_all(std::span<const HttpCall> calls,
                                           size_t max_bytes = 64 << 20);

  private:
    Loop loop_;
    std::unique_ptr<HttpClient> client_;
};

}  // namespace brigada
