// The parser of requests: http_parser.h.
#include <algorithm>

#include "base/check.h"
#include "net/http_parser.h"

namespace brigada {

namespace {

// "OPTIONS " before the target, " HTTP/1.1" and CRLF after it.
constexpr size_t kStartLineExtra = 8 + 9 + 2;

// Room for a body of declared length before any of it has come: agents' bodies are up to 1 MB, and
// a client that only declares 32 MB must not cost them.
constexpr size_t kFirstRoom = 1 << 20;

constexpr char kTlsHandshake = 0x16;

}  // namespace

size_t RequestParser::feed(std::string_view bytes) {
    size_t used = 0;
    while (used < bytes.size() && !complete() && !error_) {
        const std::string_view rest = bytes.substr(used);
        if (state_ == State::body)
            used += feed_body(rest);
        else if (state_ == State::chunks)
            used += feed_chunks(rest);
        else
            used += feed_line(rest);
    }
    return used;
}

size_t RequestParser::feed_line(std::string_view bytes) {
    const bool starting = state_ == State::start_line;
    if (starting && !begun() && bytes.front() == kTlsHandshake) {
        fail(
            {400, "this port speaks plain HTTP, the client began TLS; use http:// in the URL", {}});
        return 0;
    }
    const size_t left = limits_.head_bytes - head_bytes_;
    const size_t budget = starting ? std::min(limits_.target_bytes + kStartLineExtra, left) : left;
    const LineReader::Step step = lines_.next(bytes, budget);
    switch (step.state) {
        case LineReader::State::more:
            break;
        case LineReader::State::too_long:
            if (starting)
                fail({414, concat("the request line is longer than ", budget, " bytes"), {}});
            else
                fail({431, concat("the head is longer than ", limits_.head_bytes, " bytes"), {}});
            break;
        case LineReader::State::bare_lf:
            fail({400, "a line of the head ends without CR", {}});
            break;
        case LineReader::State::line:
            head_bytes_ += step.line.size() + 2;
            if (starting)
                take_start_line(step.line);
            else
                take_field(step.line);
    }
    return step.used;
}

void RequestParser::take_start_line(std::string_view line) {
    if (line.empty()) return;  // RFC 9112 §2.2: empty lines before a request are read over
    if (auto error = parse_request_line(line, limits_, request_)) return fail(*std::move(error));
    state_ = State::fields;
}

void RequestParser::take_field(std::string_view line) {
    if (line.empty()) return end_head();
    if (request_.headers.size() >= limits_.header_count)
        return fail({431, concat("more than ", limits_.header_count, " header fields"), {}});
    if (Result<void> field = parse_field_line(line, request_.headers); !field.ok())
        fail({400, field.error().message, {}});
}

void RequestParser::end_head() {
    BodyFraming framing;
    if (auto error = check_host(request_)) return fail(*std::move(error));
    if (auto error = request_framing(request_, limits_, framing)) return fail(*std::move(error));
    request_.keep_alive = request_.minor_version >= 1
                              ? !request_.headers.lists("connection", "close")
                              : request_.headers.lists("connection", "keep-alive");
    begin_body(framing);
    check_expectation();
}

void RequestParser::check_expectation() {
    const auto expect = request_.headers.get("expect");
    if (!expect || request_.minor_version == 0) return;
    if (!equal_without_case(*expect, "100-continue"))
        return fail({417, "the only expectation met is 100-continue", {}});
    wants_continue_ = state_ == State::body || state_ == State::chunks;
}

void RequestParser::begin_body(const BodyFraming& framing) {
    using Kind = BodyFraming::Kind;
    CHECK(framing.kind != Kind::until_close);
    body_length_ = framing.length;
    if (framing.kind == Kind::none) state_ = State::complete;
    if (framing.kind == Kind::length) state_ = State::body;
    if (framing.kind == Kind::chunked) state_ = State::chunks;
}

std::span<char> RequestParser::body_room() {
    if (state_ != State::body) return {};
    std::string& body = request_.body;
    if (body.size() == body_received_) {
        const uint64_t wanted = std::max<uint64_t>(kFirstRoom, 2 * body_received_);
        const auto size = static_cast<size_t>(std::min(body_length_, wanted));
        if (body.empty()) body = bodies_.take(size);
        body.reserve(size + kBodyPadding);
        // The room is not cleared: body_filled() says how much of it the socket has written.
        body.resize_and_overwrite(size, [](char*, size_t n) { return n; });
    }
    return std::span(body).subspan(static_cast<size_t>(body_received_));
}

void RequestParser::body_filled(size_t n) {
    CHECK(state_ == State::body && n <= request_.body.size() - body_received_);
    body_received_ += n;
    if (body_received_ == body_length_) end_body();
}

size_t RequestParser::feed_body(std::string_view bytes) {
    const std::span<char> room = body_room();
    const size_t size = std::min(room.size(), bytes.size());
    std::ranges::copy(bytes.substr(0, size), room.begin());
    body_filled(size);
    return size;
}

size_t RequestParser::feed_chunks(std::string_view bytes) {
    const Result<ChunkDecoder::Step> step = chunks_.next(bytes);
    if (!step.ok()) {
        fail({400, step.error().message, {}});
        return 0;
    }
    body_received_ += step->data.size();
    if (body_received_ > limits_.body_bytes) {
        fail({413, concat("the body is longer than ", limits_.body_bytes, " bytes"), {}});
        return step->used;
    }
    request_.body.append(step->data);
    if (chunks_.done()) end_body();
    return step->used;
}

void RequestParser::end_body() {
    request_.body.reserve(request_.body.size() + kBodyPadding);
    wants_continue_ = false;
    state_ = State::complete;
}

size_t RequestParser::buffered_bytes() const {
    return request_.body.empty() ? 0 : request_.body.capacity();
}

void RequestParser::fail(HttpError error) {
    error.path = request_.path;
    error_ = std::move(error);
    state_ = State::failed;
}

void RequestParser::reset() {
    state_ = State::start_line;
    lines_ = {};
    chunks_ = {};
    drop_body();
    request_ = {};
    error_.reset();
    head_bytes_ = 0;
    body_length_ = 0;
    body_received_ = 0;
    wants_continue_ = false;
}

}  // namespace brigada
