#include "net/http2_session.h"

#include <string_view>

#include "base/check.h"
#include "net/http2_connection.h"

namespace brigada {

namespace {

constexpr size_t kFrameHeadBytes = 9;

Http2Connection& connection_of(void* user) {
    return *static_cast<Http2Connection*>(user);
}

std::string_view as_text(const uint8_t* data, size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

int head_begins(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    connection_of(user).on_head_begins(frame->hd.stream_id);
    return 0;
}

int field(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
          const uint8_t* value, size_t value_size, uint8_t, void* user) {
    const bool goes_on = connection_of(user).on_field(frame->hd.stream_id, as_text(name, name_size),
                                                      as_text(value, value_size));
    return goes_on ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

int whole_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    connection_of(user).on_frame(*frame);
    return 0;
}

int data_chunk(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
               void* user) {
    connection_of(user).on_data(id, as_text(data, size));
    return 0;
}

int stream_closes(nghttp2_session*, int32_t id, uint32_t code, void* user) {
    connection_of(user).on_close(id, code);
    return 0;
}

ssize_t body_wanted(nghttp2_session*, int32_t id, uint8_t*, size_t room, uint32_t* flags,
                    nghttp2_data_source*, void* user) {
    return connection_of(user).on_body_wanted(id, room, *flags);
}

int body_sent(nghttp2_session*, nghttp2_frame* frame, const uint8_t* head, size_t size,
              nghttp2_data_source*, void* user) {
    return connection_of(user).on_body_sent(frame->hd.stream_id, as_text(head, kFrameHeadBytes),
                                            size);
}

}  // namespace

Http2Session make_http2_session(Http2Connection* connection) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* options = nullptr;
    CHECK(nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&options) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, head_begins);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, field);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, whole_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, data_chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, stream_closes);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, body_sent);
    nghttp2_option_set_no_auto_window_update(options, 1);  // windows grow as answers are read
    nghttp2_option_set_no_closed_streams(options, 1);
    nghttp2_session* session = nullptr;
    CHECK(nghttp2_session_client_new2(&session, callbacks, connection, options) == 0);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(options);
    return Http2Session(session);
}

nghttp2_data_provider http2_body_provider() {
    return {.source = {}, .read_callback = body_wanted};
}

}  // namespace brigada
