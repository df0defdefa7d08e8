// Limits of time and number: slow clients, idle clients, too many clients.
#include <gtest/gtest.h>

#include <thread>

#include "net/http_server.h"
#include "net/raw_client.h"

namespace brigada {
namespace {

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

Task<void> fine(HttpRequest& request, Responder& responder) {
    co_await responder.send(200, {}, concat("fine ", request.body.size()));
}

class HttpLimitsTest : public testing::Test {
  protected:
    void serve() {
        auto server = HttpServer::listen(loop_, "127.0.0.1", 0, {.limits = limits_}, fine);
        ASSERT_TRUE(server.ok()) << server.error().message;
        server_ = *std::move(server);
    }

    Loop loop_{"server"};
    HttpLimits limits_;
    std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpLimitsTest, ends_a_head_that_does_not_come) {
    limits_.head_timeout = Duration::milliseconds(20);
    serve();
    RawClient client(server_->port());
    client.send("GET / HTTP/1.1\r\nHost:");
    const std::string response = client.read_all();
    EXPECT_EQ(status_of(response), 408);
    EXPECT_EQ(body_of(response), "the head of the request did not come in time\n");
}

// Each byte comes well within the timeout: a trickle must not renew it.
TEST_F(HttpLimitsTest, ends_a_head_that_trickles) {
    limits_.head_timeout = Duration::milliseconds(40);
    serve();
    RawClient client(server_->port());
    client.send("GET / HTTP/1.1\r\nx: ");
    const Instant patience = Clock().now() + Duration::seconds(10);
    while (client.send("x") && server_->counts().refused == 0 && Clock().now() < patience)
        ::poll(nullptr, 0, 2);
    EXPECT_EQ(server_->counts().refused, 1u);
    EXPECT_EQ(status_of(client.read_all()), 408);
}

TEST_F(HttpLimitsTest, ends_a_body_that_trickles) {
    limits_.body_grace = Duration::milliseconds(30);
    limits_.body_bytes_per_second = 100'000;
    serve();
    RawClient client(server_->port());
    client.send("POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 100000\r\n\r\n");
    const Instant patience = Clock().now() + Duration::seconds(10);
    while (client.send("x") && server_->counts().refused == 0 && Clock().now() < patience)
        ::poll(nullptr, 0, 2);
    const std::string response = client.read_all();
    EXPECT_EQ(status_of(response), 408);
    EXPECT_TRUE(body_of(response).starts_with("the body came too slowly: ")) << response;
}

TEST_F(HttpLimitsTest, lets_a_slow_body_take_the_time_its_bytes_earn) {
    limits_.body_grace = Duration::milliseconds(40);
    limits_.body_bytes_per_second = 10'000;
    serve();
    RawClient client(server_->port());
    client.send(concat("POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 100001\r\n\r\n",
                       std::string(100'000, 'x')));
    ::poll(nullptr, 0, 50);  // past the grace; ten seconds have been earned
    client.send("y");
    EXPECT_EQ(body_of(client.read_response()), "fine 100001");
}

TEST_F(HttpLimitsTest, closes_idle_connections_without_a_word) {
    limits_.idle_timeout = Duration::milliseconds(20);
    serve();
    RawClient fresh(server_->port()), used(server_->port());
    used.send(kGet);
    EXPECT_EQ(body_of(used.read_response()), "fine 0");
    EXPECT_TRUE(fresh.ended());
    EXPECT_TRUE(used.ended());
    EXPECT_EQ(server_->counts().refused, 0u);
}

TEST_F(HttpLimitsTest, refuses_connections_over_their_number_and_recovers) {
    limits_.connections = 2;
    serve();
    {
        RawClient a(server_->port()), b(server_->port());
        a.send(kGet);
        b.send(kGet);
        EXPECT_EQ(status_of(a.read_response()), 200);
        EXPECT_EQ(status_of(b.read_response()), 200);
        RawClient c(server_->port());
        const std::string response = c.read_all();
        EXPECT_EQ(status_of(response), 503);
        EXPECT_NE(response.find("retry-after: "), std::string::npos);
    }
    const Instant patience = Clock().now() + Duration::seconds(10);
    while (server_->counts().connections > 0 && Clock().now() < patience)
        std::this_thread::yield();
    RawClient d(server_->port());
    d.send(kGet);
    EXPECT_EQ(status_of(d.read_response()), 200);
}

TEST_F(HttpLimitsTest, refuses_bodies_over_the_memory_for_all_and_recovers) {
    limits_.buffered_bytes = 300'000;
    serve();
    const std::string body(200'000, 'x');
    const auto head = [&](std::string_view more) {
        return concat("POST / HTTP/1.1\r\nHost: a\r\ncontent-length: ", body.size(), "\r\n", more,
                      "\r\n");
    };
    RawClient holder(server_->port()), other(server_->port());
    holder.send(head("Expect: 100-continue\r\n"));
    holder.read_until("\r\n\r\n");  // from here on it holds its room
    other.send(head("") + body);
    const std::string response = other.read_response();
    EXPECT_EQ(status_of(response), 503);
    EXPECT_NE(response.find("retry-after: "), std::string::npos);
    holder.send(body);
    EXPECT_EQ(body_of(holder.read_response()), "fine 200000");
    RawClient later(server_->port());
    holder.close();
    const Instant patience = Clock().now() + Duration::seconds(10);
    while (server_->counts().connections > 1 && Clock().now() < patience)
        std::this_thread::yield();
    later.send(head("") + body);
    EXPECT_EQ(body_of(later.read_response()), "fine 200000");
}

TEST_F(HttpLimitsTest, does_not_wait_for_ever_for_a_refused_client_to_close) {
    limits_.linger = Duration::milliseconds(20);
    serve();
    RawClient client(server_->port());
    client.send("nonsense\r\n");
    EXPECT_EQ(status_of(client.read_response()), 400);
    const Instant patience = Clock().now() + Duration::seconds(10);
    while (server_->counts().connections > 0 && Clock().now() < patience)
        std::this_thread::yield();
    EXPECT_EQ(server_->counts().connections, 0u);
}

}  // namespace
}  // namespace brigada
