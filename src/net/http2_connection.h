// Http2Connection: one connection that carries many calls, by nghttp2. Two coroutines of its own
// move bytes, one in each direction, so that nothing a call does or leaves undone stops another:
// each stream has a window of its own, which grows as its answer is read. Private to the client.
#pragma once

#include <nghttp2/nghttp2.h>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "base/time.h"
#include "net/any_stream.h"
#include "net/http2_session.h"
#include "net/http2_stream.h"
#include "net/http_client.h"
#include "net/loop.h"

namespace brigada {

/// Loop thread only.
class Http2Connection : public std::enable_shared_from_this<Http2Connection> {
  public:
    /// Over a connection on which the peer has agreed to HTTP/2. `peer` is its name in errors.
    static std::shared_ptr<Http2Connection> open(Loop& loop, AnyStream stream, std::string peer,
                                                 const HttpClientOptions& options);

    /// Whether another call may be begun now.
    bool has_room() const;
    size_t calls() const { return calls_.size(); }
    /// When the last call ended; meaningful while there is none.
    Instant idle_since() const { return idle_since_; }

    /// Sends a request; needs has_room(). Until drop() the connection writes into `stream` and
    /// reads what its pieces name.
    void begin(const HttpCall& call, Http2Stream& stream);
    /// So much of the answer was read: the peer may send as much again.
    void consumed(const Http2Stream& stream, size_t bytes);
    /// The call is over for us; a stream that is not over is reset. The others go on.
    void drop(Http2Stream& stream);

    /// No new calls; closes after the last.
    void retire();
    /// For a connection that is not kept: closes after its first call.
    void retire_after_first() { retired_ = true; }
    bool retired() const { return retired_ || dead_; }
    /// When the peer sent something last.
    Instant last_heard() const { return last_heard_; }

    // What nghttp2 calls, of Http2Session only.
    void on_head_begins(int32_t id);
    bool on_field(int32_t id, std::string_view name, std::string_view value);
    void on_frame(const nghttp2_frame& frame);
    void on_data(int32_t id, std::string_view data);
    void on_close(int32_t id, uint32_t code);
    ssize_t on_body_wanted(int32_t id, size_t room, uint32_t& flags);
    int on_body_sent(int32_t id, std::string_view frame_head, size_t bytes);

  private:
    Http2Connection(Loop& loop, AnyStream stream, std::string peer,
                    const HttpClientOptions& options);

    Task<void> read_all();
    Task<void> write_all();
    void take_frames(std::string_view bytes);
    void gather();
    std::string how_it_was_lost();
    Http2Stream* find(int32_t id);
    void call_ended();
    void close();
    void end(Code code, const std::string& what);
    static void break_off(Http2Stream& stream, Code code, const std::string& what);

    Loop& loop_;
    AnyStream stream_;
    const std::string peer_;
    const HttpClientOptions options_;
    Http2Session session_;
    std::unordered_map<int32_t, Http2Stream*> calls_;  // begun, and neither over nor dropped
    std::string out_;                                  // frames for the next write
    Signal wake_writer_;
    Instant idle_since_;
    Instant last_heard_;
    bool retired_ = false;
    bool dead_ = false;
};

}  // namespace brigada
