// HTTP/2 to servers: many calls on one connection, none in the way of another.
#include <deque>
#include <vector>

#include "net/raw_http2_server.h"
#include "net/tls_client_fixture.h"

namespace brigada {
namespace {

class Http2 : public TlsClientFixture {
  protected:
    HttpCall post(const RawHttp2Server& server, const std::string& path,
                  const std::string& body = "") {
        HttpCall out = call(server.port());
        out.target = path;
        kept_.push_back(body);
        out.body = {kept_.back()};
        return out;
    }

    /// All at once; the answers in the order of the calls.
    std::vector<Result<std::string>> ask_all(const std::vector<HttpCall>& calls) {
        std::vector<std::promise<Result<std::string>>> answers(calls.size());
        for (size_t i = 0; i < calls.size(); ++i)
            EXPECT_TRUE(loop_.spawn(keep_answer(calls[i], answers[i])));
        std::vector<Result<std::string>> out;
        for (auto& answer : answers)
            out.push_back(answer.get_future().get());
        return out;
    }
    Task<void> keep_answer(HttpCall call, std::promise<Result<std::string>>& answer) {
        answer.set_value(co_await whole(call));
    }
    size_t idle() {
        size_t out = 0;
        loop_.run([&] { out = client_->idle_connections(); });
        return out;
    }
    void run(std::function<Task<void>()> body) {
        std::promise<void> done;
        ASSERT_TRUE(loop_.spawn([](auto f, std::promise<void>& d) -> Task<void> {
            co_await f();
            d.set_value();
        }(body, done)));
        done.get_future().wait();
    }
    static void wait_for(const std::atomic<int>& count, int value) {
        while (count < value)
            std::this_thread::yield();
    }

    const Identity identity_ = authority_.issue();
    std::deque<std::string> kept_;  // bodies of calls
};

TEST_F(Http2, bodies_pass_both_ways) {
    RawHttp2Server server(identity_);
    for (const size_t size : {0, 1, 16'384, 65'535, 65'536, 400'000, 3'000'000}) {
        const std::string body(size, 'x');
        ASSERT_EQ(body_of(post(server, "/echo", body)), body) << size;
    }
    EXPECT_EQ(server.counts.connections, 1);
    EXPECT_EQ(idle(), 1u);
}

TEST_F(Http2, the_pieces_of_a_body_arrive_in_order) {
    RawHttp2Server server(identity_);
    HttpCall c = post(server, "/echo");
    const std::string big(200'000, 'b');
    c.body = {"a", "", big, "c"};
    EXPECT_EQ(body_of(c), concat("a", big, "c"));
}

TEST_F(Http2, many_calls_at_once_share_a_connection) {
    RawHttp2Server server(identity_);
    EXPECT_EQ(body_of(post(server, "/echo", "first")), "first");
    std::vector<HttpCall> calls;
    for (size_t i = 0; i < 40; ++i)
        calls.push_back(
            post(server, "/echo", std::string(i * 10'000, static_cast<char>('a' + i % 26))));
    const auto answers = ask_all(calls);
    for (size_t i = 0; i < calls.size(); ++i) {
        ASSERT_TRUE(answers[i].ok()) << answers[i].error().message;
        EXPECT_EQ(*answers[i], calls[i].body[0]);
    }
    EXPECT_EQ(server.counts.connections, 1);
}

TEST_F(Http2, a_rush_to_a_new_server_makes_one_connection) {
    RawHttp2Server server(identity_);
    const std::vector<HttpCall> calls(20, post(server, "/echo", "body"));
    for (const auto& answer : ask_all(calls))
        EXPECT_EQ(answer.value(), "body");
    EXPECT_EQ(server.counts.connections, 1);
}

TEST_F(Http2, nobody_waits_long_for_anothers_connection) {
    const ThreadedListener silent([](int socket) {
        char room[4096];
        while (::recv(socket, room, sizeof room, 0) > 0) {
        }
    });
    HttpCall c = call(silent.port());
    c.timeouts.connect = Duration::milliseconds(50);
    for (const auto& answer : ask_all({c, c, c}))
        EXPECT_EQ(answer.error().code, Code::deadline);
}

TEST_F(Http2, a_call_that_is_not_read_stops_no_other) {
    RawHttp2Server server(identity_);
    const HttpCall big = post(server, "/echo", std::string(3'000'000, 'x'));
    const HttpCall small = post(server, "/echo", "small");
    run([&]() -> Task<void> {
        HttpExchange stalled(*client_);
        EXPECT_TRUE((co_await stalled.start(big)).ok());
        for (int i = 0; i < 3; ++i) {
            const auto body = co_await whole(small);
            EXPECT_EQ(body.ok() ? *body : body.error().message, "small");
        }
        EXPECT_EQ((co_await stalled.read_all(1 << 30)).value().size(), 3'000'000u);
    });
    EXPECT_EQ(server.counts.connections, 1);
}

TEST_F(Http2, an_abort_resets_its_stream_only) {
    RawHttp2Server server(identity_);
    std::promise<Result<std::string>> answer;
    HttpExchange* hanging = nullptr;
    const HttpCall hang = post(server, "/hang", "x");
    const auto ask_hanging = [&]() -> Task<void> {
        HttpExchange exchange(*client_);
        hanging = &exchange;
        const auto head = co_await exchange.start(hang);
        answer.set_value(head.error());
    };
    ASSERT_TRUE(loop_.spawn(ask_hanging()));
    wait_for(server.counts.requests, 1);
    const HttpCall half = post(server, "/half");
    run([&]() -> Task<void> {
        HttpExchange other(*client_);
        EXPECT_TRUE((co_await other.start(half)).ok());
        hanging->abort();
        EXPECT_EQ((co_await other.read()).value(), "half");
    });
    EXPECT_EQ(answer.get_future().get().error().code, Code::cancelled);
    wait_for(server.counts.cancelled, 2);  // the other was dropped at its end
    EXPECT_EQ(body_of(post(server, "/echo", "still here")), "still here");
    EXPECT_EQ(server.counts.connections, 1);
}

TEST_F(Http2, an_abort_says_nothing_about_the_connection) {
    RawHttp2Server server(identity_);
    EXPECT_EQ(body_of(post(server, "/echo", "first")), "first");
    for (int i = 0; i < 3; ++i) {
        std::promise<Result<std::string>> answer;
        ASSERT_TRUE(loop_.spawn(keep_answer(post(server, "/hang", "x"), answer)));
        wait_for(server.counts.requests, 2 + i);
        ASSERT_TRUE(loop_.run([this] { exchange_->abort(); }));
        EXPECT_EQ(answer.get_future().get().error().code, Code::cancelled);
    }
    EXPECT_EQ(body_of(post(server, "/echo", "last")), "last");
    EXPECT_EQ(server.counts.connections, 1);
}

TEST_F(Http2, a_connection_that_gave_no_sign_of_life_gets_no_new_calls) {
    RawHttp2Server server(identity_);
    EXPECT_EQ(body_of(post(server, "/echo", "first")), "first");
    HttpCall hang = post(server, "/hang");
    hang.timeouts.first_byte = Duration::milliseconds(20);
    EXPECT_EQ(ask(hang).error().code, Code::deadline);
    EXPECT_EQ(body_of(post(server, "/echo", "next")), "next");
    EXPECT_EQ(server.counts.connections, 2);
}

TEST_F(Http2, an_abort_while_the_body_waits_for_a_window) {
    RawHttp2Server server(identity_, {.window = 0});
    std::promise<Code> answer;
    HttpExchange* stuck = nullptr;
    const HttpCall big = post(server, "/echo", std::string(1'000'000, 'x'));
    const auto ask_stuck = [&]() -> Task<void> {
        HttpExchange exchange(*client_);
        stuck = &exchange;
        answer.set_value((co_await exchange.start(big)).error().code);
    };
    ASSERT_TRUE(loop_.spawn(ask_stuck()));
    wait_for(server.counts.connections, 1);
    ASSERT_TRUE(loop_.run([&] { stuck->abort(); }));
    EXPECT_EQ(answer.get_future().get(), Code::cancelled);
    EXPECT_EQ(body_of(post(server, "/echo")), "");
    EXPECT_EQ(server.counts.connections, 1);
}

// --- what servers say -------------------------------------------------------------------------

TEST_F(Http2, what_was_refused_unseen_is_tried_again) {
    RawHttp2Server server(identity_);
    EXPECT_EQ(body_of(post(server, "/refuse_once", "again")), "again");
    EXPECT_EQ(server.counts.refused, 2);
}

TEST_F(Http2, after_goaway_calls_go_to_another_connection) {
    RawHttp2Server server(identity_);
    EXPECT_EQ(body_of(post(server, "/goaway", "last")), "last");
    EXPECT_EQ(body_of(post(server, "/echo", "next")), "next");
    EXPECT_EQ(server.counts.connections, 2);
}

TEST_F(Http2, no_more_streams_than_the_server_wants) {
    RawHttp2Server server(identity_, {.max_streams = 1});
    const HttpCall echo = post(server, "/echo", "e");
    run([&]() -> Task<void> {
        for (int i = 0; i < 2; ++i)
            EXPECT_TRUE((co_await whole(echo)).ok());
        EXPECT_EQ(client_->opened_connections(), 1u);
        HttpExchange first(*client_), second(*client_);
        const HttpCall half = post(server, "/half");
        EXPECT_TRUE((co_await first.start(half)).ok());
        EXPECT_TRUE((co_await second.start(half)).ok());
        EXPECT_EQ(client_->opened_connections(), 2u);
    });
}

TEST_F(Http2, interim_answers_and_trailers_are_read_over) {
    RawHttp2Server server(identity_);
    for (const std::string path : {"/interim", "/trailers"}) {
        const HttpCall c = post(server, path, "body");
        run([&]() -> Task<void> {
            HttpExchange exchange(*client_);
            const auto head = co_await exchange.start(c);
            EXPECT_EQ(head.value().status, 200);
            EXPECT_EQ(head->headers.get("x-path"), path);
            EXPECT_FALSE(head->headers.has("link"));
            EXPECT_EQ((co_await exchange.read_all(100)).value(), "body");
        });
    }
}

TEST_F(Http2, an_answer_may_come_before_the_request_is_sent) {
    RawHttp2Server server(identity_);
    EXPECT_EQ(body_of(post(server, "/early", std::string(1'000'000, 'x'))), "early");
    EXPECT_EQ(body_of(post(server, "/echo", "next")), "next");
    EXPECT_EQ(server.counts.connections, 1);
}

TEST_F(Http2, a_head_without_end_is_refused) {
    RawHttp2Server server(identity_);
    EXPECT_EQ(fault_of(post(server, "/fields")),
              "the response's head has more than 256 fields or 65536 bytes");
    EXPECT_EQ(body_of(post(server, "/echo", "next")), "next");
    EXPECT_EQ(server.counts.connections, 1);
}

TEST_F(Http2, broken_answers_are_told) {
    RawHttp2Server server(identity_);
    const std::string who = concat("localhost:", server.port());
    EXPECT_EQ(fault_of(post(server, "/reset")),
              who + " ended the stream (INTERNAL_ERROR) in the middle of the response");
    const auto answers = ask_all({post(server, "/hang"), post(server, "/cut")});
    EXPECT_EQ(answers[1].error().message,
              who + " closed the connection in the middle of the response");
    EXPECT_FALSE(answers[0].ok());
    EXPECT_EQ(body_of(post(server, "/echo", "next")), "next");
}

TEST_F(Http2, names_the_phase_that_took_too_long) {
    RawHttp2Server server(identity_);
    const std::string who = concat("localhost:", server.port());
    HttpCall c = post(server, "/hang");
    c.timeouts.first_byte = Duration::milliseconds(20);
    EXPECT_EQ(fault_of(c), who + " gave no answer for 20 ms");
    c = post(server, "/half");
    c.timeouts.between_bytes = Duration::milliseconds(20);
    EXPECT_EQ(fault_of(c), who + " sent nothing for 20 ms");
    c = post(server, "/hang");
    c.timeouts.total = Duration::milliseconds(20);
    EXPECT_EQ(fault_of(c), concat("the call to ", who, " took over 20 ms"));
    RawHttp2Server closed(identity_, {.window = 0});
    c = post(closed, "/echo", std::string(1'000'000, 'x'));
    c.timeouts.between_bytes = Duration::milliseconds(20);
    EXPECT_EQ(fault_of(c),
              concat("localhost:", closed.port(), " took no more of the request for 20 ms"));
}

// --- the connection's life --------------------------------------------------------------------

TEST_F(Http2, an_idle_connection_ends_politely) {
    RawHttp2Server server(identity_);
    EXPECT_EQ(body_of(post(server, "/echo", "one")), "one");
    loop_.run([this] { client_.reset(); });
    wait_for(server.counts.goodbyes, 1);
}

TEST_F(Http2, a_client_that_keeps_nothing_opens_one_for_each_call) {
    loop_.run([this] {
        client_ = std::make_unique<HttpClient>(loop_, HttpClientOptions{.idle_per_host = 0});
    });
    RawHttp2Server server(identity_);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(body_of(post(server, "/echo", "one")), "one");
    EXPECT_EQ(server.counts.connections, 3);
    wait_for(server.counts.goodbyes, 3);
}

TEST_F(Http2, is_not_spoken_when_it_is_not_offered) {
    loop_.run([this] {
        client_ = std::make_unique<HttpClient>(loop_, HttpClientOptions{.offers_http2 = false});
    });
    RawTlsServer server(identity_, [](RawTlsServer::Peer& peer) {
        peer.read_request();
        peer.answer("one");
    });
    EXPECT_EQ(body_of(call(server.port())), "one");
    RawHttp2Server only_http2(identity_);
    EXPECT_FALSE(ask(post(only_http2, "/echo", "one")).ok());
}

}  // namespace
}  // namespace brigada
