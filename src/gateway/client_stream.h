// ClientStream: the client's side of a streamed answer. It writes what the relay hands it, and
// while nothing comes, because the upstream still reads a long prompt, a comment now and then, so
// that no proxy or client on the way takes the silence for a dead connection.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "net/signal.h"

namespace brigada {

/// Loop thread only. stop() must have returned before it is destroyed.
class ClientStream {
  public:
    ClientStream(Loop& loop, Responder& responder);

    /// From now on a comment is sent after each `interval` without bytes; the first one begins the
    /// response, with `head` where set_head() has not said another, and errors must then go
    /// in-band. Again: with another interval.
    void watch_silence(Duration interval, std::function<HttpHeaders()> head);
    /// Ends the watch and waits until it writes no more.
    Task<void> stop();
    /// Whether there is anything to stop.
    bool watches() const { return watching_; }

    bool started() const { return responder_.started(); }

    /// Head of the response, which leaves with the first bytes, unless the watch has begun it.
    void set_head(int status, HttpHeaders headers);
    /// Each returns false when the client is gone. finish() writes its bytes with the end.
    Task<bool> write(std::string_view bytes);
    Task<bool> finish(std::string_view bytes = {});

  private:
    Task<bool> begin(std::string_view first);
    Task<void> watch();
    Task<bool> send_comment();
    Task<void> until_idle();

    Loop& loop_;
    Responder& responder_;
    int status_ = 200;
    HttpHeaders headers_;
    bool has_head_ = false;  // status_ and headers_ are those of an answer
    std::function<HttpHeaders()> early_head_;
    Signal wake_;  // the watch sleeps on it
    Signal idle_;  // the relay waits on it while the watch writes
    Duration interval_;
    Instant last_bytes_;
    bool busy_ = false;
    bool watching_ = false;
    bool stopping_ = false;
};

}  // namespace brigada
