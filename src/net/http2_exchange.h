// Http2Exchange: one call on a connection that others use as well: HttpExchange's calls, by waiting
// for what the connection does to its stream. Private to the client.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http2_connection.h"
#include "net/http2_stream.h"
#include "net/http_client.h"

namespace brigada {

/// Loop thread only.
class Http2Exchange {
  public:
    /// On a connection with room. No wait goes past `last`. `peer` names the server in errors.
    Http2Exchange(Loop& loop, std::shared_ptr<Http2Connection> connection, std::string peer,
                  Instant last)
        : loop_(loop),
          connection_(std::move(connection)),
          peer_(std::move(peer)),
          last_(last),
          stream_(loop.executor()) {}
    /// Resets the stream when it is not over.
    ~Http2Exchange() { connection_->drop(stream_); }
    Http2Exchange(const Http2Exchange&) = delete;
    Http2Exchange& operator=(const Http2Exchange&) = delete;

    // As of HttpExchange.
    Task<Result<HttpResponseHead>> start(const HttpCall& call);
    Task<Result<std::string_view>> read();
    void abort();

    /// The server says it has not looked at this call: any method may be tried again.
    bool untouched() const { return stream_.untouched; }
    bool answered() const { return stream_.has_head; }
    Instant sent_at() const { return sent_; }

  private:
    Task<Result<void>> wait(Instant deadline, std::string_view phase, Duration limit);
    Task<Result<void>> wait_for_head();
    Error too_late(std::string_view phase, Duration limit) const;

    Loop& loop_;
    std::shared_ptr<Http2Connection> connection_;
    const std::string peer_;
    const Instant last_;  // for the whole call
    HttpTimeouts timeouts_;
    Instant sent_ = Instant::never();  // when the whole request had gone
    Http2Stream stream_;
    std::string given_;  // what read() returned
};

}  // namespace brigada
