// RawHttp2Server: HTTP/2 for tests on top of RawTlsServer, by nghttp2's server side. What it does
// with a request is said by its path, see `answer`.
#pragma once

#include <nghttp2/nghttp2.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/raw_tls_server.h"

namespace brigada {

struct RawHttp2Options {
    uint32_t max_streams = 100;
    uint32_t window = 65'535;  // of each stream, for bodies that come
};

/// What all connections of a server have seen.
struct RawHttp2Counts {
    std::atomic<int> connections = 0;
    std::atomic<int> requests = 0;   // whole
    std::atomic<int> cancelled = 0;  // streams that the client reset
    std::atomic<int> refused = 0;    // by us
    std::atomic<int> goodbyes = 0;   // GOAWAY of a client
};

/// One connection: serve() blocks until it ends.
class RawHttp2Peer {
  public:
    RawHttp2Peer(RawTlsServer::Peer& peer, const RawHttp2Options& options, RawHttp2Counts& counts)
        : peer_(peer), counts_(counts) {
        ++counts_.connections;
        nghttp2_session_callbacks* callbacks = nullptr;
        nghttp2_session_callbacks_new(&callbacks);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_field);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
        nghttp2_session_server_new(&session_, callbacks, this);
        nghttp2_session_callbacks_del(callbacks);
        const nghttp2_settings_entry settings[] = {
            {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options.max_streams},
            {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, options.window}};
        nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, 2);
    }
    ~RawHttp2Peer() { nghttp2_session_del(session_); }
    RawHttp2Peer(const RawHttp2Peer&) = delete;
    RawHttp2Peer& operator=(const RawHttp2Peer&) = delete;

    void serve() {
        char room[65'536];
        while (flush()) {
            const int n = SSL_read(peer_.ssl(), room, sizeof room);
            if (n <= 0) return;
            if (nghttp2_session_mem_recv(session_, reinterpret_cast<uint8_t*>(room),
                                         static_cast<size_t>(n)) < 0)
                return;
            if (cut_) return;
        }
    }

  private:
    struct Request {
        std::string path;
        std::string body;
        std::string answer;  // what is left of it
        bool stays_open = false;
        bool has_trailers = false;
    };

    bool flush() {
        for (;;) {
            const uint8_t* data = nullptr;
            const ssize_t n = nghttp2_session_mem_send(session_, &data);
            if (n <= 0) return n == 0;
            if (!peer_.send({reinterpret_cast<const char*>(data), static_cast<size_t>(n)}))
                return false;
        }
    }

    static RawHttp2Peer& self(void* user) { return *static_cast<RawHttp2Peer*>(user); }

    static int on_field(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                        size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                        void* user) {
        if (std::string_view(reinterpret_cast<const char*>(name), name_size) == ":path")
            self(user).requests_[frame->hd.stream_id].path.assign(
                reinterpret_cast<const char*>(value), value_size);
        return 0;
    }
    static int on_data(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                       void* user) {
        self(user).requests_[id].body.append(reinterpret_cast<const char*>(data), size);
        return 0;
    }
    static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
        RawHttp2Peer& peer = self(user);
        if (frame->hd.type == NGHTTP2_GOAWAY) ++peer.counts_.goodbyes;
        if (frame->hd.type == NGHTTP2_RST_STREAM) ++peer.counts_.cancelled;
        const bool carries = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
        if (!carries) return 0;
        Request& request = peer.requests_[frame->hd.stream_id];
        if (request.path == "/early" && frame->hd.type == NGHTTP2_HEADERS)
            peer.respond(frame->hd.stream_id, request, "early");
        if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 && request.path != "/early")
            peer.answer(frame->hd.stream_id, request);
        return 0;
    }

    void answer(int32_t id, Request& request) {
        ++counts_.requests;
        if (request.path == "/hang") return;
        if (request.path == "/cut") {
            respond(id, request, "half", true);
            flush();
            cut_ = true;
            return;
        }
        if (request.path == "/refuse_once" && counts_.refused++ == 0) {
            nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
            return;
        }
        if (request.path == "/interim") {
            const nghttp2_nv hints[] = {pair(":status", "103"), pair("link", "x")};
            nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, id, nullptr, hints, 2, nullptr);
        }
        if (request.path == "/goaway")
            nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR, nullptr, 0);
        request.has_trailers = request.path == "/trailers";
        const bool half = request.path == "/half" || request.path == "/reset";
        respond(id, request, half ? "half" : request.body, half);
        if (request.path == "/reset") {
            flush();
            nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_INTERNAL_ERROR);
        }
    }

    void respond(int32_t id, Request& request, std::string body, bool stays_open = false) {
        request.answer = std::move(body);
        request.stays_open = stays_open;
        std::vector<nghttp2_nv> fields = {pair(":status", "200"), pair("x-path", request.path)};
        if (request.path == "/fields") fields.insert(fields.end(), 300, pair("x-more", "yes"));
        const nghttp2_data_provider provider{.source = {.ptr = &request}, .read_callback = give};
        nghttp2_submit_response(session_, id, fields.data(), fields.size(), &provider);
    }

    static ssize_t give(nghttp2_session* session, int32_t id, uint8_t* room, size_t size,
                        uint32_t* flags, nghttp2_data_source* source, void*) {
        Request& request = *static_cast<Request*>(source->ptr);
        const size_t n = std::min(size, request.answer.size());
        if (n == 0 && request.stays_open) return NGHTTP2_ERR_DEFERRED;
        request.answer.copy(reinterpret_cast<char*>(room), n);
        request.answer.erase(0, n);
        if (!request.answer.empty() || request.stays_open) return static_cast<ssize_t>(n);
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        if (request.has_trailers) {
            *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
            const nghttp2_nv trailer = pair("x-trailer", "unseen");
            nghttp2_submit_trailer(session, id, &trailer, 1);
        }
        return static_cast<ssize_t>(n);
    }

    static nghttp2_nv pair(std::string_view name, std::string_view value) {
        const auto bytes = [](std::string_view text) {
            return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(text.data()));
        };
        return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
    }

    RawTlsServer::Peer& peer_;
    RawHttp2Counts& counts_;
    nghttp2_session* session_ = nullptr;
    std::map<int32_t, Request> requests_;
    bool cut_ = false;
};

class RawHttp2Server {
  public:
    explicit RawHttp2Server(const Identity& identity, RawHttp2Options options = {})
        : server_(
              identity,
              [this, options](RawTlsServer::Peer& peer) {
                  RawHttp2Peer(peer, options, counts).serve();
              },
              [](SSL_CTX* context) { SSL_CTX_set_alpn_select_cb(context, choose_h2, nullptr); }) {}

    uint16_t port() const { return server_.port(); }

    RawHttp2Counts counts;

  private:
    static int choose_h2(SSL*, const unsigned char** out, unsigned char* size,
                         const unsigned char* offered, unsigned offered_size, void*) {
        static constexpr unsigned char kH2[] = {2, 'h', '2'};
        unsigned char* chosen = nullptr;
        if (SSL_select_next_proto(&chosen, size, kH2, sizeof kH2, offered, offered_size) !=
            OPENSSL_NPN_NEGOTIATED)
            return SSL_TLSEXT_ERR_ALERT_FATAL;
        *out = chosen;
        return SSL_TLSEXT_ERR_OK;
    }

    RawTlsServer server_;
};

}  // namespace brigada
