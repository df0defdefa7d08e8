// RequestParser and ResponseParser: HTTP/1.1 messages out of bytes that come in any portions, with
// no socket in sight. The same bytes give the same result however they were cut. We parse heads
// ourselves because bodies must land where they stay, framing must be stricter than Beast's, and a
// coroutine unit with Beast takes three times as long to compile.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "net/body_pool.h"
#include "net/chunk_decoder.h"
#include "net/http.h"
#include "net/http_grammar.h"
#include "net/line_reader.h"

namespace brigada {

/// One request at a time; reset() before the next.
class RequestParser {
  public:
    /// `bodies`, where memory comes from and goes back to, outlives the parser.
    RequestParser(const HttpLimits& limits, BodyPool& bodies) : limits_(limits), bodies_(bodies) {}

    /// Takes bytes from the front and returns how many: all, unless the request is complete or
    /// failed.
    size_t feed(std::string_view bytes);

    /// Room for the next bytes of a body of declared length, so that the socket reads into the
    /// request. Empty in every other state. The room grows with what arrived, never ahead by more
    /// than doubling.
    std::span<char> body_room();
    /// `n` bytes of body_room() are filled.
    void body_filled(size_t n);

    bool begun() const { return head_bytes_ > 0 || lines_.in_line(); }
    bool head_complete() const { return state_ > State::fields; }
    bool complete() const { return state_ == State::complete; }
    /// Set when the input is refused. Nothing more is taken.
    const HttpError* error() const { return error_ ? &*error_ : nullptr; }

    /// The client waits for "100 Continue" before it sends the body.
    bool wants_continue() const { return wants_continue_; }
    void continue_sent() { wants_continue_ = false; }

    uint64_t body_received() const { return body_received_; }
    /// Memory held for the body.
    size_t buffered_bytes() const;
    /// Gives that memory back, for a request that is refused, or whose body nobody needs any more.
    void drop_body() { bodies_.give(request_.body); }

    /// The request; whole when complete(). `peer` is the caller's to set.
    HttpRequest& request() { return request_; }

    void reset();

  private:
    enum class State { start_line, fields, body, chunks, complete, failed };

    size_t feed_line(std::string_view bytes);
    size_t feed_body(std::string_view bytes);
    size_t feed_chunks(std::string_view bytes);
    void take_start_line(std::string_view line);
    void take_field(std::string_view line);
    void end_head();
    void check_expectation();
    void begin_body(const BodyFraming& framing);
    void end_body();
    void fail(HttpError error);

    const HttpLimits limits_;
    BodyPool& bodies_;
    State state_ = State::start_line;
    LineReader lines_;
    ChunkDecoder chunks_;
    HttpRequest request_;
    std::optional<HttpError> error_;
    size_t head_bytes_ = 0;  // complete lines
    uint64_t body_length_ = 0;
    uint64_t body_received_ = 0;
    bool wants_continue_ = false;
};

/// The response to one request. Interim responses (1xx) are read over.
class ResponseParser {
  public:
    /// `method` is the request's: a response to HEAD has no body.
    ResponseParser(HttpMethod method, size_t head_bytes, size_t header_count)
        : method_(method), max_head_bytes_(head_bytes), max_headers_(header_count) {}

    struct Step {
        size_t used = 0;
        std::string_view data;  // of the body; a part of what was used
    };

    /// Takes bytes from the front: at most to the end of the head, or one run of body data. Call
    /// again with the rest until all is used or complete(). corrupt says what is wrong with the
    /// response.
    Result<Step> next(std::string_view bytes);

    /// The peer has closed. corrupt when the response was not complete and could not end there.
    Result<void> end();

    bool begun() const { return head_bytes_ > 0 || lines_.in_line(); }
    bool head_complete() const { return state_ > State::fields; }
    bool complete() const { return state_ == State::complete; }
    /// Whether the connection may carry another request after a complete response.
    bool reusable() const;
    const HttpResponseHead& head() const { return head_; }
    /// The same, which is nobody's but the caller's then.
    HttpResponseHead take_head() { return std::move(head_); }

  private:
    enum class State { start_line, fields, body, chunks, until_close, complete };

    Result<Step> next_line(std::string_view bytes);
    Result<void> take_line(std::string_view line);
    Result<void> end_head();

    HttpMethod method_;
    size_t max_head_bytes_;
    size_t max_headers_;
    State state_ = State::start_line;
    LineReader lines_;
    ChunkDecoder chunks_;
    HttpResponseHead head_;
    size_t head_bytes_ = 0;
    uint64_t missing_ = 0;
    bool keep_alive_ = false;
    bool ended_by_close_ = false;
};

}  // namespace brigada
