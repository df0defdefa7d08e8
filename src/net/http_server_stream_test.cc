// Streams, clients that leave, clients that do not read, and servers that stop.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "net/http_server.h"
#include "net/raw_client.h"
#include "net/signal.h"
#include "net/sse.h"

namespace brigada {
namespace {

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/// True when `fact` holds within ten seconds.
template <typename Fact>
bool eventually(Fact fact) {
    const Instant patience = Clock().now() + Duration::seconds(10);
    while (!fact() && Clock().now() < patience)
        std::this_thread::yield();
    return fact();
}

class HttpStreamTest : public testing::Test {
  protected:
    void serve(HttpHandler handler, HttpServerOptions options = {}) {
        auto server =
            HttpServer::listen(loop_, "127.0.0.1", 0, std::move(options), std::move(handler));
        ASSERT_TRUE(server.ok()) << server.error().message;
        server_ = *std::move(server);
    }

    // A handler that streams one event, waits for `go_on_` (or the client's leaving), and ends.
    Task<void> wait_in_the_middle(HttpRequest&, Responder& responder) {
        auto watch = responder.on_gone([&] { go_on_.notify(); });
        SseWriter events;
        events.data("first");
        co_await responder.start_stream(200, {{"content-type", kSseContentType}});
        co_await responder.write(events.bytes());
        ++waiting_;
        co_await go_on_.wait();
        if (responder.client_gone()) {
            gone_at_ns_ = Clock().now().ns();
            co_return;
        }
        co_await responder.write("data: last\n\n");
        co_await responder.finish();
    }
    HttpHandler waiter() {
        return [this](HttpRequest& a, Responder& b) { return wait_in_the_middle(a, b); };
    }

    void go_on() {
        ASSERT_TRUE(loop_.run([&] { go_on_.notify(); }));
    }

    Loop loop_{"server"};
    Signal go_on_{loop_.executor()};
    std::atomic<int> waiting_ = 0;
    std::atomic<int64_t> gone_at_ns_ = 0;
    std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpStreamTest, sends_each_write_at_once_and_as_one_chunk) {
    serve(waiter());
    RawClient client(server_->port());
    client.send(kGet);
    const std::string head = client.read_until("\r\n\r\n");
    EXPECT_NE(head.find("transfer-encoding: chunked"), std::string::npos);
    EXPECT_NE(head.find("content-type: text/event-stream"), std::string::npos);
    // The handler now waits for us: what it wrote must be here already.
    EXPECT_EQ(client.read_until("\n\n\r\n"), "d\r\ndata: first\n\n\r\n");
    go_on();
    EXPECT_EQ(client.read_until("0\r\n\r\n"), "c\r\ndata: last\n\n\r\n0\r\n\r\n");
    client.send(kGet);
    EXPECT_EQ(status_of(client.read_until("\r\n\r\n")), 200) << "the connection is kept";
}

TEST_F(HttpStreamTest, ends_an_http_1_0_stream_by_closing) {
    serve(waiter());
    RawClient client(server_->port());
    client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(client.read_until("\r\n\r\n").find("chunked"), std::string::npos);
    go_on();
    EXPECT_EQ(client.read_all(), "data: first\n\ndata: last\n\n");
}

TEST_F(HttpStreamTest, never_reports_a_broken_stream_as_finished) {
    serve([](HttpRequest&, Responder& responder) -> Task<void> {
        co_await responder.start_stream(200, {});
        co_await responder.write("half");
        throw std::runtime_error("the engine died");
    });
    RawClient client(server_->port());
    client.send(kGet);
    EXPECT_EQ(body_of(client.read_all()), "4\r\nhalf\r\n");
}

TEST_F(HttpStreamTest, tells_a_waiting_handler_at_once_that_the_client_left) {
    serve(waiter());
    int64_t best_ns = INT64_MAX;  // of several, because this machine may have other things to do
    for (int i = 0; i < 5; ++i) {
        gone_at_ns_ = 0;
        RawClient client(server_->port());
        client.send(kGet);
        client.read_until("first\n\n");
        const int64_t left_ns = Clock().now().ns();
        client.close();
        ASSERT_TRUE(eventually([&] { return gone_at_ns_ != 0; }));
        best_ns = std::min<int64_t>(best_ns, gone_at_ns_ - left_ns);
    }
    EXPECT_LT(best_ns, Duration::milliseconds(100).ns());
    EXPECT_TRUE(eventually([&] { return server_->counts().connections == 0; }));
    EXPECT_EQ(server_->counts().gone, 5u);
}

TEST_F(HttpStreamTest, tells_a_handler_that_has_not_answered_yet) {
    std::promise<bool> told;
    serve([&](HttpRequest&, Responder& responder) -> Task<void> {
        Signal signal(loop_.executor());
        auto watch = responder.on_gone([&] { signal.notify(); });
        ++waiting_;
        co_await signal.wait();
        told.set_value(responder.client_gone());
        EXPECT_FALSE(co_await responder.send(200, {}, "too late"));
    });
    RawClient client(server_->port());
    client.send(kGet);
    ASSERT_TRUE(eventually([&] { return waiting_ == 1; }));
    client.close();
    EXPECT_TRUE(told.get_future().get());
}

TEST_F(HttpStreamTest, takes_a_half_closed_client_with_more_requests_for_present) {
    serve(waiter());
    RawClient client(server_->port());
    client.send(kGet);
    client.read_until("first\n\n");
    client.send(kGet);
    client.half_close();
    // Both bytes and end are at the server before it goes on: a round trip on another connection.
    RawClient other(server_->port());
    other.send("GARBAGE\r\n\r\n");
    EXPECT_EQ(status_of(other.read_response()), 400);
    go_on();
    EXPECT_EQ(client.read_until("0\r\n\r\n").find("c\r\ndata: last"), 2u);
    ASSERT_TRUE(eventually([&] { return waiting_ == 2; }));
    EXPECT_EQ(gone_at_ns_, 0);
}

TEST_F(HttpStreamTest, suspends_the_writer_while_the_client_does_not_read) {
    constexpr size_t kTotal = 32 << 20;
    std::atomic<size_t> written = 0;
    serve([&](HttpRequest&, Responder& responder) -> Task<void> {
        const std::string piece(256 * 1024, 'x');
        co_await responder.start_stream(200, {});
        while (written < kTotal && co_await responder.write(piece))
            written += piece.size();
        co_await responder.finish();
    });
    RawClient client(server_->port(), 256 * 1024);
    client.send(kGet);
    size_t before = 0;
    ASSERT_TRUE(eventually([&] {
        const bool still = before == written && before > 0;
        before = written;
        ::poll(nullptr, 0, 20);
        return still;
    }));
    EXPECT_LT(written, kTotal / 2) << "the kernel's buffers end far below that";
    const std::string body = client.read_until("\r\n0\r\n\r\n");
    EXPECT_EQ(std::ranges::count(body, 'x'), static_cast<ptrdiff_t>(kTotal));
}

TEST_F(HttpStreamTest, gives_up_a_client_that_takes_nothing_for_too_long) {
    std::promise<bool> all_taken;
    HttpServerOptions options;
    options.limits.write_stall = Duration::milliseconds(30);
    serve(
        [&](HttpRequest&, Responder& responder) -> Task<void> {
            const bool sent = co_await responder.send(200, {}, std::string(64 << 20, 'x'));
            EXPECT_TRUE(sent || responder.client_gone());
            all_taken.set_value(sent);
        },
        options);
    RawClient client(server_->port());
    client.send(kGet);
    EXPECT_FALSE(all_taken.get_future().get());
    EXPECT_TRUE(eventually([&] { return server_->counts().connections == 0; }));
}

TEST_F(HttpStreamTest, wakes_a_blocked_writer_when_the_client_leaves) {
    std::promise<bool> all_taken;
    serve([&](HttpRequest&, Responder& responder) -> Task<void> {
        ++waiting_;
        all_taken.set_value(co_await responder.send(200, {}, std::string(64 << 20, 'x')));
    });
    RawClient client(server_->port());
    client.send(kGet);
    ASSERT_TRUE(eventually([&] { return waiting_ == 1; }));
    client.read_exactly(1'000);
    client.close();
    EXPECT_FALSE(all_taken.get_future().get());
}

TEST_F(HttpStreamTest, drains_by_finishing_what_runs_and_taking_nothing_new) {
    serve(waiter());
    RawClient idle(server_->port()), running(server_->port());
    running.send(kGet);
    running.read_until("first\n\n");
    std::future<bool> drained =
        std::async(std::launch::async, [&] { return server_->drain(Duration::seconds(10)); });
    EXPECT_TRUE(idle.ended());
    EXPECT_FALSE(RawClient(server_->port()).connected());
    go_on();
    EXPECT_NE(running.read_until("0\r\n\r\n").find("data: last"), std::string::npos);
    EXPECT_TRUE(running.ended());
    running.close();
    EXPECT_TRUE(drained.get());
}

TEST_F(HttpStreamTest, ends_what_does_not_finish_within_the_grace) {
    serve(waiter());
    RawClient client(server_->port());
    client.send(kGet);
    client.read_until("first\n\n");
    EXPECT_FALSE(server_->drain(Duration::milliseconds(10)));
    EXPECT_NE(gone_at_ns_, 0) << "the handler was told";
    EXPECT_EQ(server_->counts().running, 0u);
    EXPECT_EQ(client.read_all().find("0\r\n\r\n"), std::string::npos);
}

TEST_F(HttpStreamTest, stops_with_connections_in_every_state) {
    serve(waiter());
    RawClient idle(server_->port()), reading(server_->port()), streaming(server_->port());
    reading.send("POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 10\r\n\r\nabc");
    streaming.send(kGet);
    streaming.read_until("first\n\n");
    server_->stop();
    server_->stop();
    EXPECT_EQ(server_->counts().connections, 0u);
    server_.reset();
}

}  // namespace
}  // namespace brigada
