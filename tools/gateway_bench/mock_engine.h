// MockEngine: an OpenAI-compatible engine that costs next to nothing, so that what stands before it
// can be measured. It answers every POST with 1 KB of JSON, or with a stream when the body asks for
// one; "mock_mode" in the body chooses how the stream goes.
#pragma once

#include <memory>

#include "net/http_server.h"
#include "net/loop.h"

namespace brigada {

/// "mock_mode" of a body. burst: 64 events, eight in a write. paced: 64 events, 5 ms apart. idle:
/// one event, then silence until the client leaves.
class MockEngine {
  public:
    explicit MockEngine(uint16_t port);
    ~MockEngine();

    uint16_t port() const { return server_->port(); }

  private:
    Loop loop_{"mock engine"};
    std::unique_ptr<HttpServer> server_;
};

}  // namespace brigada
