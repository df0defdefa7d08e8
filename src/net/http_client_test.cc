#include "net/http_client.h"

#include <gtest/gtest.h>

#include <future>

#include "net/http_server.h"
#include "net/signal.h"

namespace brigada {
namespace {

// Server and client on two loops; run() runs a coroutine on the client's and waits for it.
class HttpClientTest : public testing::Test {
  protected:
    void SetUp() override {
        auto server =
            HttpServer::listen(server_loop_, "127.0.0.1", 0, {},
                               [this](HttpRequest& a, Responder& b) { return handle(a, b); });
        ASSERT_TRUE(server.ok()) << server.error().message;
        server_ = *std::move(server);
        client_loop_.run([this] { client_ = std::make_unique<HttpClient>(client_loop_); });
    }
    void TearDown() override {
        client_loop_.run([this] { client_.reset(); });
    }

    Task<void> handle(HttpRequest& request, Responder& responder) {
        if (request.path == "/echo")
            co_return void(co_await responder.send(200, {{"x-host", *request.headers.get("host")}},
                                                   request.body));
        if (request.path == "/close") {
            co_await responder.start_stream(200, {});
            co_await responder.write("half");
            co_return;
        }
        if (request.path == "/chunks") {
            co_await responder.start_stream(200, {});
            for (int i = 0; i < 5; ++i)
                co_await responder.write(std::string(1000, 'a' + i));
            co_return void(co_await responder.finish());
        }
        Signal signal(server_loop_.executor());
        auto watch = responder.on_gone([&] { signal.notify(); });
        if (request.path == "/hang_later") {
            co_await responder.start_stream(200, {});
            co_await responder.write("first");
        }
        ++hanging_;
        co_await signal.wait();
        ++left_;
    }

    void run(std::function<Task<void>()> body) {
        std::promise<void> done;
        ASSERT_TRUE(client_loop_.spawn([](auto f, std::promise<void>& d) -> Task<void> {
            co_await f();
            d.set_value();
        }(body, done)));
        done.get_future().wait();
    }

    HttpCall call(std::string target, HttpMethod method = HttpMethod::get) {
        HttpCall c;
        c.method = method;
        c.host = "127.0.0.1";
        c.port = server_->port();
        c.target = std::move(target);
        return c;
    }

    Loop server_loop_{"server"}, client_loop_{"client"};
    std::atomic<int> hanging_ = 0, left_ = 0;
    std::unique_ptr<HttpServer> server_;
    std::unique_ptr<HttpClient> client_;
};

TEST_F(HttpClientTest, sends_a_body_reads_the_answer_and_keeps_the_connection) {
    run([this]() -> Task<void> {
        for (const size_t size : {0ul, 5ul, 400'000ul}) {
            const std::string body(size, 'x');
            HttpCall c = call("/echo", HttpMethod::post);
            c.body = {body};
            HttpExchange exchange(*client_);
            const auto head = co_await exchange.start(c);
            EXPECT_TRUE(head.ok());
            if (!head.ok()) continue;
            EXPECT_EQ(head->status, 200);
            EXPECT_EQ(head->headers.get("x-host"), concat("127.0.0.1:", c.port));
            EXPECT_EQ((co_await exchange.read_all(1 << 20)).value(), body);
        }
        EXPECT_EQ(client_->opened_connections(), 1u);
        EXPECT_EQ(client_->idle_connections(), 1u);
    });
}

TEST_F(HttpClientTest, resolves_names) {
    run([this]() -> Task<void> {
        HttpCall c = call("/echo");
        c.host = "localhost";
        HttpExchange exchange(*client_);
        const auto head = co_await exchange.start(c);
        EXPECT_TRUE(head.ok()) << (head.ok() ? "" : head.error().message);
    });
}

TEST_F(HttpClientTest, streams_the_pieces_of_a_chunked_body) {
    run([this]() -> Task<void> {
        HttpExchange exchange(*client_);
        EXPECT_TRUE((co_await exchange.start(call("/chunks"))).ok());
        std::string body;
        for (;;) {
            const auto piece = co_await exchange.read();
            if (!piece.ok() || piece->empty()) break;
            body += *piece;
        }
        std::string expected;
        for (int i = 0; i < 5; ++i)
            expected += std::string(1000, static_cast<char>('a' + i));
        EXPECT_EQ(body, expected);
        EXPECT_EQ(client_->idle_connections(), 1u);
    });
}

TEST_F(HttpClientTest, refuses_a_body_longer_than_wanted) {
    run([this]() -> Task<void> {
        HttpExchange exchange(*client_);
        EXPECT_TRUE((co_await exchange.start(call("/chunks"))).ok());
        EXPECT_EQ((co_await exchange.read_all(4'999)).error().code, Code::too_large);
    });
}

TEST_F(HttpClientTest, tells_a_cut_stream_from_a_finished_one) {
    run([this]() -> Task<void> {
        HttpExchange exchange(*client_);
        EXPECT_TRUE((co_await exchange.start(call("/close"))).ok());
        EXPECT_EQ((co_await exchange.read()).value(), "half");
        const auto end = co_await exchange.read();
        EXPECT_FALSE(end.ok());
        if (!end.ok()) {
            EXPECT_EQ(end.error().code, Code::unavailable);
            EXPECT_NE(end.error().message.find("in the middle of the response"), std::string::npos);
        }
        EXPECT_EQ(client_->idle_connections(), 0u);
    });
}

TEST_F(HttpClientTest, names_the_phase_that_took_too_long) {
    run([this]() -> Task<void> {
        const std::string who = concat("127.0.0.1:", server_->port());
        HttpCall c = call("/hang");
        c.timeouts.first_byte = Duration::milliseconds(20);
        HttpExchange silent(*client_);
        const auto none = co_await silent.start(c);
        EXPECT_EQ(none.error().code, Code::deadline);
        EXPECT_EQ(none.error().message, concat(who, " gave no answer for 20 ms"));

        c = call("/hang_later");
        c.timeouts.between_bytes = Duration::milliseconds(20);
        HttpExchange stalled(*client_);
        EXPECT_TRUE((co_await stalled.start(c)).ok());
        EXPECT_EQ((co_await stalled.read()).value(), "first");
        EXPECT_EQ((co_await stalled.read()).error().message,
                  concat(who, " sent nothing for 20 ms"));

        c = call("/hang");
        c.timeouts.total = Duration::milliseconds(20);
        HttpExchange whole(*client_);
        EXPECT_EQ((co_await whole.start(c)).error().message,
                  concat("the call to ", who, " took over 20 ms"));
    });
}

TEST_F(HttpClientTest, aborts_a_call_that_waits_and_the_upstream_learns_of_it) {
    HttpExchange* waiting = nullptr;
    std::promise<Code> result;
    const auto ask = [&]() -> Task<void> {
        HttpExchange exchange(*client_);
        waiting = &exchange;
        result.set_value((co_await exchange.start(call("/hang", HttpMethod::post))).error().code);
    };
    ASSERT_TRUE(client_loop_.spawn(ask()));
    while (hanging_ == 0)
        std::this_thread::yield();
    ASSERT_TRUE(client_loop_.run([&] { waiting->abort(); }));
    EXPECT_EQ(result.get_future().get(), Code::cancelled);
    while (left_ == 0)
        std::this_thread::yield();
}

TEST_F(HttpClientTest, an_exchange_dropped_in_the_middle_closes_its_connection) {
    run([this]() -> Task<void> {
        HttpExchange exchange(*client_);
        EXPECT_TRUE((co_await exchange.start(call("/hang_later"))).ok());
    });
    while (left_ == 0)
        std::this_thread::yield();
}

TEST_F(HttpClientTest, replaces_kept_connections_the_upstream_has_closed) {
    const uint16_t port = server_->port();
    run([this]() -> Task<void> {
        HttpExchange exchange(*client_);
        EXPECT_TRUE((co_await exchange.start(call("/echo"))).ok());
        EXPECT_TRUE((co_await exchange.read_all(10)).ok());
    });
    server_->stop();
    auto again = HttpServer::listen(server_loop_, "127.0.0.1", port, {},
                                    [this](HttpRequest& a, Responder& b) { return handle(a, b); });
    ASSERT_TRUE(again.ok()) << again.error().message;
    server_ = *std::move(again);
    run([this]() -> Task<void> {
        HttpExchange exchange(*client_);
        EXPECT_TRUE((co_await exchange.start(call("/echo", HttpMethod::post))).ok());
        EXPECT_EQ(client_->opened_connections(), 2u);
    });
}

TEST_F(HttpClientTest, says_why_there_is_no_connection) {
    const uint16_t port = server_->port();
    server_->stop();
    run([this, port]() -> Task<void> {
        HttpExchange refused(*client_);
        const auto none = co_await refused.start(call("/echo"));
        EXPECT_EQ(none.error().code, Code::unavailable);
        EXPECT_EQ(none.error().message,
                  concat("cannot connect to 127.0.0.1:", port, ": Connection refused"));
        HttpExchange bad(*client_);
        EXPECT_EQ((co_await bad.start(call("/a b"))).error().code, Code::invalid_argument);
    });
}

}  // namespace
}  // namespace brigada
