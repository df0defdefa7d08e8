#include "net/http_server.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include "base/rng.h"
#include "net/raw_client.h"

namespace brigada {
namespace {

// Answers with what it was asked, one line a part; the body last.
Task<void> echo(HttpRequest& request, Responder& responder) {
    std::string text =
        concat(to_string(request.method), " ", request.path, " ", request.query, "\n");
    text += request.body;
    co_await responder.send(200, {{"content-type", "text/plain"}, {"x-peer", request.peer}}, text);
}

class HttpServerTest : public testing::Test {
  protected:
    void serve(HttpHandler handler, HttpServerOptions options = {}) {
        auto server =
            HttpServer::listen(loop_, "127.0.0.1", 0, std::move(options), std::move(handler));
        ASSERT_TRUE(server.ok()) << server.error().message;
        server_ = *std::move(server);
    }

    std::string ask(std::string_view bytes) {
        RawClient client(server_->port());
        client.send(bytes);
        return client.read_response();
    }

    Loop loop_{"server"};
    std::unique_ptr<HttpServer> server_;
};

std::string get(std::string_view target, std::string_view fields = "") {
    return concat("GET ", target, " HTTP/1.1\r\nHost: a\r\n", fields, "\r\n");
}
std::string post(std::string_view target, std::string_view body) {
    return concat("POST ", target, " HTTP/1.1\r\nHost: a\r\ncontent-length: ", body.size(),
                  "\r\n\r\n", body);
}

TEST_F(HttpServerTest, answers_and_keeps_the_connection) {
    serve(echo);
    RawClient client(server_->port());
    for (int i = 0; i < 3; ++i) {
        client.send(post("/a?b=c", "hello"));
        const std::string response = client.read_response();
        EXPECT_EQ(status_of(response), 200);
        EXPECT_EQ(body_of(response), "POST /a b=c\nhello");
        EXPECT_NE(response.find("\r\ndate: "), std::string::npos);
        EXPECT_NE(response.find("\r\nx-peer: 127.0.0.1:"), std::string::npos);
        EXPECT_EQ(response.find("\r\nconnection:"), std::string::npos);
    }
    EXPECT_EQ(server_->counts().accepted, 1u);
    EXPECT_EQ(server_->counts().requests, 3u);
}

TEST_F(HttpServerTest, closes_when_asked_and_for_http_1_0) {
    serve(echo);
    for (const std::string& bytes :
         {get("/", "Connection: close\r\n"), std::string("GET / HTTP/1.0\r\n\r\n")}) {
        RawClient client(server_->port());
        client.send(bytes);
        const std::string response = client.read_all();
        EXPECT_EQ(status_of(response), 200);
        EXPECT_NE(response.find("\r\nconnection: close\r\n"), std::string::npos);
    }
}

TEST_F(HttpServerTest, keeps_an_http_1_0_connection_that_asks_for_it) {
    serve(echo);
    RawClient client(server_->port());
    for (int i = 0; i < 2; ++i) {
        client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        EXPECT_NE(client.read_response().find("connection: keep-alive"), std::string::npos);
    }
}

TEST_F(HttpServerTest, answers_head_without_a_body_but_with_its_length) {
    serve(echo);
    RawClient client(server_->port());
    client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get("/next"));
    EXPECT_NE(client.read_until("\r\n\r\n").find("content-length: 8"), std::string::npos);
    EXPECT_EQ(body_of(client.read_response()), "GET /next \n");
}

TEST_F(HttpServerTest, sends_no_body_or_length_with_204) {
    serve([](HttpRequest&, Responder& r) -> Task<void> { co_await r.send(204, {}, ""); });
    RawClient client(server_->port());
    client.send(get("/") + get("/"));
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(client.read_until("\r\n\r\n").find("content-length"), std::string::npos);
}

TEST_F(HttpServerTest, drops_framing_fields_a_handler_gives) {
    serve([](HttpRequest&, Responder& r) -> Task<void> {
        co_await r.send(200, {{"Content-Length", "999"}, {"Transfer-Encoding", "x"}}, "abc");
    });
    const std::string response = ask(get("/"));
    EXPECT_EQ(response.find("999"), std::string::npos);
    EXPECT_EQ(body_of(response), "abc");
}

TEST_F(HttpServerTest, answers_pipelined_requests_in_order_cut_anywhere) {
    serve(echo);
    constexpr int kRequests = 10'000;
    std::string all;
    for (int i = 0; i < kRequests; ++i)
        all += i % 3 == 0 ? get(concat("/", i)) : post(concat("/", i), std::string(i % 50, 'x'));
    RawClient client(server_->port());
    std::thread sender([&] {
        Rng rng(5);
        std::string_view rest = all;
        while (!rest.empty()) {
            const std::string_view next = rest.substr(0, 1 + rng.below(400));
            client.send(next);
            rest.remove_prefix(next.size());
        }
    });
    int right = 0;
    for (int i = 0; i < kRequests; ++i) {
        const std::string body = body_of(client.read_response());
        right += i % 3 == 0 ? body == concat("GET /", i, " \n")
                            : body == concat("POST /", i, " \n", std::string(i % 50, 'x'));
    }
    sender.join();
    EXPECT_EQ(right, kRequests);
}

TEST_F(HttpServerTest, reads_a_request_cut_at_every_byte) {
    serve(echo);
    RawClient client(server_->port());
    const std::string bytes =
        "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    for (size_t cut = 1; cut < bytes.size(); ++cut) {
        client.send(bytes.substr(0, cut));
        client.send(bytes.substr(cut));
        ASSERT_EQ(body_of(client.read_response()), "POST /a \nabc") << cut;
    }
}

TEST_F(HttpServerTest, takes_and_returns_agent_sized_bodies) {
    serve(echo);
    RawClient client(server_->port());
    for (const size_t size : {400'000ul, 3'000'001ul}) {
        std::string body(size, '\0');
        for (size_t i = 0; i < size; ++i)
            body[i] = static_cast<char>(i * 31 >> 3);
        std::thread sender([&] { client.send(post("/big", body)); });
        const std::string response = client.read_response();
        sender.join();
        EXPECT_EQ(body_of(response), "POST /big \n" + body);
    }
}

TEST_F(HttpServerTest, answers_every_kind_of_bad_request_and_closes) {
    serve(echo);
    const std::vector<std::pair<std::string, int>> cases = {
        {"nonsense\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n\r\n", 400},
        {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
        {"BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
        {get("/" + std::string(9'000, 'x')), 414},
        {get("/", "x: " + std::string(70'000, 'x') + "\r\n"), 431},
        {get("/", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"), 400},
        {get("/", "Content-Length: 99999999999\r\n"), 413},
        {get("/", "Expect: tea\r\n"), 417},
    };
    for (const auto& [bytes, status] : cases) {
        RawClient client(server_->port());
        client.send(bytes);
        const std::string response = client.read_all();
        EXPECT_EQ(status_of(response), status) << bytes.substr(0, 60);
        EXPECT_NE(response.find("\r\nconnection: close\r\n"), std::string::npos);
    }
    EXPECT_EQ(server_->counts().refused, cases.size());
    EXPECT_EQ(server_->counts().requests, 0u);
}

TEST_F(HttpServerTest, dresses_its_errors_as_told) {
    HttpServerOptions options;
    options.format_error = [](const HttpError& error) {
        return HttpErrorBody{"application/json", concat("{", error.status, " ", error.path, "}")};
    };
    serve(echo, options);
    const std::string response = ask(get("/v1/x", "Content-Length: 99999999999\r\n"));
    EXPECT_EQ(body_of(response), "{413 /v1/x}");
    EXPECT_NE(response.find("content-type: application/json"), std::string::npos);
}

TEST_F(HttpServerTest, says_continue_before_it_reads_the_body) {
    serve(echo);
    RawClient client(server_->port());
    for (int i = 0; i < 2; ++i) {
        client.send(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
        EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
        client.send("abc");
        EXPECT_EQ(body_of(client.read_response()), "POST / \nabc");
    }
}

TEST_F(HttpServerTest, refuses_a_large_body_before_it_comes_and_the_client_can_read_why) {
    HttpServerOptions options;
    options.limits.body_bytes = 1'000;
    serve(echo, options);
    // The client sends its megabyte without looking; the answer must survive that.
    for (const std::string& bytes :
         {post("/", std::string(1 << 20, 'x')),
          concat("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n",
                 std::string(1 << 20, 'x'))}) {
        RawClient client(server_->port());
        client.send(bytes);
        const std::string response = client.read_response();
        EXPECT_EQ(status_of(response), 413);
        EXPECT_NE(body_of(response).find("1000"), std::string::npos) << response;
    }
}

TEST_F(HttpServerTest, turns_a_handlers_failure_into_a_500_and_goes_on) {
    serve([](HttpRequest& request, Responder& responder) -> Task<void> {
        if (request.path == "/throw") throw std::runtime_error("no luck");
        if (request.path == "/fine") co_await responder.send(200, {}, "fine");
    });
    RawClient client(server_->port());
    client.send(get("/throw") + get("/silent") + get("/fine"));
    std::string response = client.read_response();
    EXPECT_EQ(status_of(response), 500);
    EXPECT_EQ(body_of(response), "the handler failed: no luck\n");
    EXPECT_EQ(body_of(client.read_response()), "the handler gave no answer\n");
    EXPECT_EQ(body_of(client.read_response()), "fine");
}

TEST_F(HttpServerTest, serves_curl) {
    serve([](HttpRequest& request, Responder& responder) -> Task<void> {
        if (request.path != "/stream") co_return co_await echo(request, responder);
        co_await responder.start_stream(200, {{"content-type", "text/event-stream"}});
        for (int i = 0; i < 3; ++i)
            co_await responder.write(concat("data: ", i, "\n\n"));
        co_await responder.finish();
    });
    const auto curl = [&](const std::string& arguments) {
        const std::string command = concat("curl -sS --max-time 10 ", arguments, " 2>&1");
        std::string out;
        FILE* pipe = ::popen(command.c_str(), "r");
        char room[4096];
        while (const size_t n = std::fread(room, 1, sizeof room, pipe))
            out.append(room, n);
        return concat(out, "|", ::pclose(pipe));
    };
    const std::string url = concat("http://127.0.0.1:", server_->port());
    EXPECT_EQ(curl(concat(url, "/a%20b?x=1")), "GET /a b x=1\n|0");
    EXPECT_EQ(curl(concat("-d hello ", url, "/p")), "POST /p \nhello|0");
    EXPECT_EQ(curl(concat("-d hello -H 'Transfer-Encoding: chunked' ", url, "/p")),
              "POST /p \nhello|0");
    EXPECT_EQ(curl(concat("-d hello -H 'Expect: 100-continue' ", url, "/p")), "POST /p \nhello|0");
    EXPECT_EQ(curl(concat("--http1.0 ", url, "/old")), "GET /old \n|0");
    EXPECT_EQ(curl(concat(url, "/stream")), "data: 0\n\ndata: 1\n\ndata: 2\n\n|0");
    EXPECT_EQ(curl(concat("--http1.0 ", url, "/stream")), "data: 0\n\ndata: 1\n\ndata: 2\n\n|0");
    EXPECT_EQ(curl(concat("-I -o /dev/null -w '%{http_code}' ", url, "/h")), "200|0");
    EXPECT_EQ(
        curl(concat("-o /dev/null -w '%{num_connects} ' ", url, "/1 -o /dev/null ", url, "/2")),
        "1 0 |0");
}

TEST_F(HttpServerTest, explains_why_it_cannot_listen) {
    serve(echo);
    const auto failure = [&](const std::string& address, uint16_t port) {
        const auto server = HttpServer::listen(loop_, address, port, {}, echo);
        EXPECT_FALSE(server.ok());
        return server.ok() ? Error{} : server.error();
    };
    const Error taken = failure("127.0.0.1", server_->port());
    EXPECT_EQ(taken.code, Code::unavailable);
    EXPECT_EQ(taken.message, concat("127.0.0.1:", server_->port(),
                                    " is already in use; choose another with --port"));
    EXPECT_EQ(failure("nowhere", 0).code, Code::invalid_argument);
    EXPECT_EQ(failure("192.0.2.1", 0).message,
              "this machine has no address 192.0.2.1; use 127.0.0.1 or 0.0.0.0");
}

TEST_F(HttpServerTest, shares_a_port_between_loops_when_told) {
    Loop second("second");
    HttpServerOptions options;
    options.reuse_port = true;
    serve(echo, options);
    const auto other = HttpServer::listen(second, "127.0.0.1", server_->port(), options, echo);
    ASSERT_TRUE(other.ok()) << other.error().message;
    for (int i = 0; i < 50; ++i)
        EXPECT_EQ(status_of(ask(get("/"))), 200);
    EXPECT_EQ(server_->counts().requests + (*other)->counts().requests, 50u);
}

}  // namespace
}  // namespace brigada
