// nghttp2's session for an Http2Connection: its callbacks, in C, to the connection's functions.
// Private to the client.
#pragma once

#include <nghttp2/nghttp2.h>

#include <memory>

namespace brigada {

class Http2Connection;

struct Http2SessionFree {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
};
using Http2Session = std::unique_ptr<nghttp2_session, Http2SessionFree>;

/// `connection` outlives it.
Http2Session make_http2_session(Http2Connection* connection);

/// Asks the connection for the body of a stream.
nghttp2_data_provider http2_body_provider();

}  // namespace brigada
