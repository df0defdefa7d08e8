#include "net/http2_connection.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <charconv>
#include <exception>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/concat.h"
#include "net/http2_fields.h"

namespace brigada {

namespace asio = boost::asio;

namespace {

constexpr size_t kGatherBytes = 64 * 1024;  // frames of one write
constexpr size_t kRoomBytes = 64 * 1024;    // of one read

// What a stream may send before its answer is read, and so what a stalled client makes us hold.
constexpr uint32_t kStreamWindow = 256 * 1024;
// Never the limit: what came for a stream is taken off at once.
constexpr int32_t kConnectionWindow = 8 * 1024 * 1024;

constexpr Duration kGoodbye = Duration::seconds(1);  // for the last frames to leave

std::string_view as_text(const uint8_t* data, size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

void die_of(std::exception_ptr thrown) {
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace

std::shared_ptr<Http2Connection> Http2Connection::open(Loop& loop, AnyStream stream,
                                                       std::string peer,
                                                       const HttpClientOptions& options) {
    std::shared_ptr<Http2Connection> out(
        new Http2Connection(loop, std::move(stream), std::move(peer), options));
    asio::co_spawn(loop.context(), out->read_all(), die_of);
    asio::co_spawn(loop.context(), out->write_all(), die_of);
    return out;
}

Http2Connection::Http2Connection(Loop& loop, AnyStream stream, std::string peer,
                                 const HttpClientOptions& options)
    : loop_(loop),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      options_(options),
      session_(make_http2_session(this)),
      wake_writer_(loop.executor()),
      idle_since_(loop.now()),
      last_heard_(loop.now()) {
    stream_.transport().limit(Instant::never());  // that of the call that connected
    stream_.transport().expire_at(Instant::never());
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(options.head_bytes)}};
    nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings, std::size(settings));
    nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

// --- calls ------------------------------------------------------------------------------------

bool Http2Connection::has_room() const {
    if (dead_ || retired_ || !nghttp2_session_check_request_allowed(session_.get())) return false;
    return calls_.size() < nghttp2_session_get_remote_settings(
                               session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

void Http2Connection::begin(const HttpCall& call, Http2Stream& stream) {
    const Http2Fields fields(call);
    for (const std::string_view part : call.body)
        if (!part.empty()) stream.pieces.push_back(part);
    const nghttp2_data_provider body = http2_body_provider();
    stream.id =
        nghttp2_submit_request(session_.get(), nullptr, fields.list().data(), fields.list().size(),
                               stream.sent_all() ? nullptr : &body, nullptr);
    if (stream.id < 0) {  // a connection has 2^30 ids
        retired_ = true;
        stream.untouched = true;
        stream.broken = {Code::unavailable, concat(peer_, " has no ids for calls left")};
        return;
    }
    calls_[stream.id] = &stream;
    stream.moved = loop_.now();
    wake_writer_.notify();
}

void Http2Connection::consumed(const Http2Stream& stream, size_t bytes) {
    if (dead_ || stream.id < 0) return;
    nghttp2_session_consume_stream(session_.get(), stream.id, bytes);
    wake_writer_.notify();
}

void Http2Connection::drop(Http2Stream& stream) {
    if (calls_.erase(stream.id) == 0) return;
    nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream.id, NGHTTP2_CANCEL);
    wake_writer_.notify();
    call_ended();
}

void Http2Connection::retire() {
    retired_ = true;
    if (calls_.empty()) close();
}

void Http2Connection::call_ended() {
    idle_since_ = loop_.now();
    if (retired_ && calls_.empty()) close();
}

// Says goodbye; the writer ends when it has left, or in a second.
void Http2Connection::close() {
    if (dead_) return;
    nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR);
    stream_.transport().expire_at(loop_.now() + kGoodbye);
    wake_writer_.notify();
}

// Nothing comes or goes any more.
void Http2Connection::end(Code code, const std::string& what) {
    if (std::exchange(dead_, true)) return;
    for (const auto& [id, stream] : std::exchange(calls_, {}))
        break_off(*stream, code, what);
    stream_.close();
    wake_writer_.notify();
}

void Http2Connection::break_off(Http2Stream& stream, Code code, const std::string& what) {
    stream.id = -1;
    if (!stream.ended && !stream.broken)
        stream.broken = {code, concat(what, stream.has_head ? " in the middle of the response"
                                                            : " before a response came")};
    stream.changed.notify();
}

// --- bytes ------------------------------------------------------------------------------------

Task<void> Http2Connection::read_all() {
    const auto self = shared_from_this();
    while (!dead_) {
        IoOutcome got{co_await stream_.readable()};
        if (got.status == IoStatus::ok) {
            const auto room = std::make_unique_for_overwrite<char[]>(kRoomBytes);
            got = stream_.try_read({room.get(), kRoomBytes});
            if (got.status == IoStatus::ok) take_frames({room.get(), got.bytes});
        }
        if (got.status != IoStatus::ok && got.status != IoStatus::not_now)
            end(Code::unavailable, how_it_was_lost());
    }
}

std::string Http2Connection::how_it_was_lost() {
    if (stream_.tls() && !stream_.tls()->failure().empty()) return stream_.tls()->failure();
    return concat(peer_, " closed the connection");
}

void Http2Connection::take_frames(std::string_view bytes) {
    last_heard_ = loop_.now();
    const ssize_t taken = nghttp2_session_mem_recv(
        session_.get(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    if (taken < 0)
        return end(Code::corrupt, concat(peer_, " broke the rules of HTTP/2 (",
                                         nghttp2_strerror(static_cast<int>(taken)), ")"));
    wake_writer_.notify();
}

Task<void> Http2Connection::write_all() {
    const auto self = shared_from_this();
    while (!dead_) {
        gather();
        if (!out_.empty()) {
            const std::string out = std::exchange(out_, {});
            iovec piece{const_cast<char*>(out.data()), out.size()};
            const IoStatus status = co_await stream_.write_all({&piece, 1});
            if (status != IoStatus::ok) end(Code::unavailable, how_it_was_lost());
        } else if (nghttp2_session_want_read(session_.get()) == 0) {
            end(Code::unavailable, concat(peer_, " was told that the connection ends"));
        } else {
            co_await wake_writer_.wait();
        }
    }
}

// Bodies come through on_body_sent(), everything else as bytes.
void Http2Connection::gather() {
    out_.reserve(kGatherBytes + 2 * 16'384);
    while (out_.size() < kGatherBytes) {
        const uint8_t* data = nullptr;
        const ssize_t size = nghttp2_session_mem_send(session_.get(), &data);
        if (size <= 0) return;
        out_ += as_text(data, static_cast<size_t>(size));
    }
}

// --- what the frames say ----------------------------------------------------------------------

Http2Stream* Http2Connection::find(int32_t id) {
    const auto found = calls_.find(id);
    return found == calls_.end() ? nullptr : found->second;
}

void Http2Connection::on_head_begins(int32_t id) {
    Http2Stream* stream = find(id);
    if (stream && !stream->has_head) stream->head = {};  // another may have been an interim one
}

/// False: this stream is broken off.
bool Http2Connection::on_field(int32_t id, std::string_view name, std::string_view value) {
    Http2Stream* stream = find(id);
    if (!stream || stream->has_head) return true;  // a trailer: nobody asks for it
    if (name == ":status") {
        std::from_chars(value.data(), value.data() + value.size(), stream->head.status);
        return true;
    }
    stream->head_bytes += name.size() + value.size() + 32;  // as RFC 9113 counts
    if (stream->head_bytes > options_.head_bytes ||
        stream->head.headers.size() >= options_.header_count) {
        stream->broken = {Code::corrupt,
                          concat("the response's head has more than ", options_.header_count,
                                 " fields or ", options_.head_bytes, " bytes")};
        return false;
    }
    stream->head.headers.add(name, value);
    return true;
}

void Http2Connection::on_frame(const nghttp2_frame& frame) {
    if (frame.hd.type == NGHTTP2_GOAWAY) {
        retired_ = true;
        if (calls_.empty()) close();
        return;
    }
    Http2Stream* stream = find(frame.hd.stream_id);
    if (!stream) return;
    if (frame.hd.type == NGHTTP2_HEADERS && stream->head.status >= 200) stream->has_head = true;
    const bool may_end = frame.hd.type == NGHTTP2_HEADERS || frame.hd.type == NGHTTP2_DATA;
    if (may_end && (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) stream->ended = true;
    stream->changed.notify();
}

void Http2Connection::on_data(int32_t id, std::string_view data) {
    nghttp2_session_consume_connection(session_.get(), data.size());
    if (Http2Stream* stream = find(id)) stream->body += data;
}

void Http2Connection::on_close(int32_t id, uint32_t code) {
    Http2Stream* stream = find(id);
    if (!stream) return;
    calls_.erase(id);
    stream->untouched = code == NGHTTP2_REFUSED_STREAM;
    break_off(*stream, Code::unavailable,
              concat(peer_, " ended the stream (", nghttp2_http2_strerror(code), ")"));
    call_ended();
}

/// How much of the body goes into the next frame, at most `room`; on_body_sent() copies it.
ssize_t Http2Connection::on_body_wanted(int32_t id, size_t room, uint32_t& flags) {
    const Http2Stream* stream = find(id);
    if (!stream) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // dropped: its reset is on the way
    size_t left = 0;
    for (const std::string_view part : stream->pieces)
        left += part.size();
    flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (left <= room) flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(std::min(left, room));
}

int Http2Connection::on_body_sent(int32_t id, std::string_view frame_head, size_t bytes) {
    Http2Stream* stream = find(id);
    if (!stream) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (out_.size() >= kGatherBytes) return NGHTTP2_ERR_WOULDBLOCK;  // with the next write
    out_ += frame_head;
    stream->take(bytes, [this](std::string_view part) { out_ += part; });
    stream->moved = loop_.now();
    if (stream->sent_all()) stream->changed.notify();
    return 0;
}

}  // namespace brigada
