// What TLS carries: bodies both ways however they are cut, ends that are none, aborts in every
// phase, connections and sessions used again.
#include <deque>

#include "base/rng.h"
#include "net/tls_client_fixture.h"

namespace brigada {
namespace {

std::string some_text(size_t size, uint64_t seed) {
    Rng rng(seed);
    std::string out;
    while (out.size() < size)
        out += static_cast<char>('a' + rng.below(26));
    return out;
}

std::string body_of_request(const std::string& request) {
    return request.substr(request.find("\r\n\r\n") + 4);
}

void echo(RawTlsServer::Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();)
        peer.answer(body_of_request(request));
}

void only_1_2(SSL_CTX* context) {
    SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
}

/// Between client and server: passes the server's bytes on in random portions. `fate` may change
/// the byte at an offset, or cut the connection there.
class Relay {
  public:
    enum class Fate { passes, changes, cuts };

    Relay(uint16_t server, uint64_t seed, Fate fate, size_t at)
        : rng_(seed), fate_(fate), at_(at), listener_([this, server](int client) {
              const int upstream = connect_to(server);
              std::thread there([&] { copy(client, upstream); });
              pass_on(upstream, client);
              ::shutdown(client, SHUT_RDWR);
              ::shutdown(upstream, SHUT_RDWR);
              there.join();
              ::close(upstream);
          }) {}

    uint16_t port() const { return listener_.port(); }
    size_t passed() const { return passed_; }

  private:
    static int connect_to(uint16_t port) {
        const int out = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(out, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        ThreadedListener::prepare(out);
        return out;
    }
    static bool send_all(int socket, std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) return false;
            bytes.remove_prefix(static_cast<size_t>(n));
        }
        return true;
    }
    static void copy(int from, int to) {
        char room[65'536];
        for (ssize_t n; (n = ::recv(from, room, sizeof room, 0)) > 0;)
            if (!send_all(to, {room, static_cast<size_t>(n)})) return;
        ::shutdown(to, SHUT_WR);
    }
    void pass_on(int from, int to) {
        char room[4'096];
        for (ssize_t n; (n = ::recv(from, room, 1 + rng_.below(sizeof room), 0)) > 0;) {
            std::string bytes(room, static_cast<size_t>(n));
            const bool fatal = passed_ <= at_ && at_ < passed_ + bytes.size();
            if (fatal && fate_ == Fate::cuts) bytes.resize(at_ - passed_);
            if (fatal && fate_ == Fate::changes) bytes[at_ - passed_] ^= 0x20;
            if (!send_all(to, bytes)) return;
            passed_ += bytes.size();
            if (fatal && fate_ == Fate::cuts) return;
        }
    }

    Rng rng_;
    const Fate fate_;
    const size_t at_;
    std::atomic<size_t> passed_ = 0;
    ThreadedListener listener_;
};

class TlsBytes : public TlsClientFixture {
  protected:
    HttpCall post(uint16_t port, const std::string& body) {
        kept_.push_back(body);
        HttpCall out = call(port);
        out.body = {kept_.back()};
        return out;
    }

    std::deque<std::string> kept_;  // bodies of calls
};

TEST_F(TlsBytes, carries_bodies_both_ways_on_one_connection) {
    for (const auto& tune : {std::function<void(SSL_CTX*)>(), std::function(only_1_2)}) {
        RawTlsServer server(authority_.issue(), echo, tune);
        for (const size_t size : {0, 1, 16'383, 16'384, 16'385, 65'536, 400'000, 5'000'000}) {
            const std::string body = some_text(size, size);
            ASSERT_EQ(body_of(post(server.port(), body)), body) << size;
        }
        EXPECT_EQ(server.handshakes(), 1);
    }
}

TEST_F(TlsBytes, joins_the_pieces_of_a_spliced_body) {
    RawTlsServer server(authority_.issue(), echo);
    const std::string big = some_text(100'000, 1);
    HttpCall c = call(server.port());
    c.body = {"{\"model\":", "\"m\"", "", big, "}"};
    EXPECT_EQ(body_of(c), concat("{\"model\":\"m\"", big, "}"));
}

TEST_F(TlsBytes, reads_records_of_one_byte) {
    const std::string body = some_text(3'000, 1);
    RawTlsServer server(authority_.issue(), [&](RawTlsServer::Peer& peer) {
        while (!peer.read_request().empty())
            peer.answer(body, 1);
    });
    EXPECT_EQ(body_of(call(server.port())), body);
    EXPECT_EQ(body_of(call(server.port())), body);
    EXPECT_EQ(server.handshakes(), 1);
}

TEST_F(TlsBytes, key_updates_pass_unseen) {
    RawTlsServer server(authority_.issue(), [&](RawTlsServer::Peer& peer) {
        for (std::string request; !(request = peer.read_request()).empty();) {
            SSL_key_update(peer.ssl(), SSL_KEY_UPDATE_REQUESTED);
            peer.answer(body_of_request(request), 10'000);
        }
    });
    for (int i = 0; i < 3; ++i) {
        const std::string body = some_text(100'000, 7);
        EXPECT_EQ(body_of(post(server.port(), body)), body);
    }
    EXPECT_EQ(server.handshakes(), 1);
}

TEST_F(TlsBytes, an_answer_is_whole_however_the_stream_was_cut) {
    const std::string body = some_text(50'000, 3);
    RawTlsServer server(authority_.issue(), echo);
    for (uint64_t seed = 0; seed < 20; ++seed) {
        Relay relay(server.port(), seed, Relay::Fate::passes, 0);
        ASSERT_EQ(body_of(post(relay.port(), body)), body) << seed;
    }
}

// Whatever byte is changed or missing: an answer that came is the right one.
TEST_F(TlsBytes, a_damaged_stream_gives_the_whole_answer_or_an_error) {
    const std::string body = some_text(20'000, 4);
    int answered = 0, failed = 0;
    RawTlsServer server(authority_.issue(), echo);
    for (const Relay::Fate fate : {Relay::Fate::cuts, Relay::Fate::changes}) {
        for (uint64_t seed = 0; seed < 60; ++seed) {
            Relay relay(server.port(), seed, fate, Rng(seed).below(23'000));
            HttpCall c = post(relay.port(), body);
            c.timeouts.connect = Duration::milliseconds(200);  // a longer record may be announced
            c.timeouts.first_byte = Duration::milliseconds(200);
            c.timeouts.between_bytes = Duration::milliseconds(200);
            const auto answer = ask(c);
            if (answer.ok()) {
                ASSERT_EQ(*answer, body) << seed;
            }
            ++(answer.ok() ? answered : failed);
        }
    }
    EXPECT_GT(failed, 50);
    EXPECT_EQ(answered + failed, 120);
}

// --- ends -------------------------------------------------------------------------------------

TEST_F(TlsBytes, a_body_until_close_needs_the_goodbye) {
    for (const bool polite : {true, false}) {
        RawTlsServer server(authority_.issue(), [polite](RawTlsServer::Peer& peer) {
            peer.read_request();
            peer.send("HTTP/1.1 200 OK\r\n\r\nall there is");
            if (polite) peer.say_goodbye();
        });
        if (polite)
            EXPECT_EQ(body_of(call(server.port())), "all there is");
        else
            EXPECT_EQ(fault_of(call(server.port())),
                      concat("localhost:", server.port(),
                             " closed the connection in the middle of the response"));
    }
}

TEST_F(TlsBytes, a_server_that_ends_its_side_still_reads_ours) {
    const std::string body = some_text(300'000, 5);
    std::atomic<bool> said_goodbye = false;
    RawTlsServer server(authority_.issue(), [&](RawTlsServer::Peer& peer) {
        const std::string request = peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
        peer.say_goodbye();
        EXPECT_EQ(body_of_request(request), body);
        said_goodbye = peer.client_said_goodbye();
    });
    EXPECT_EQ(body_of(post(server.port(), body)), "");
    loop_.run([this] { client_.reset(); });
    while (!said_goodbye)
        std::this_thread::yield();
}

TEST_F(TlsBytes, a_reset_is_told_as_a_broken_answer) {
    RawTlsServer server(authority_.issue(), [](RawTlsServer::Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf");
        peer.reset();
    });
    EXPECT_EQ(fault_of(call(server.port())),
              concat("localhost:", server.port(),
                     " closed the connection in the middle of the response"));
}

// --- aborts -----------------------------------------------------------------------------------

class TlsAbort : public TlsBytes {
  protected:
    /// Starts a call, waits until the server says that it is where the test wants it, and aborts.
    void abort_when(const std::atomic<bool>& there, const HttpCall& c) {
        std::promise<Result<std::string>> answer;
        const auto task = [&]() -> Task<void> { answer.set_value(co_await whole(c)); };
        ASSERT_TRUE(loop_.spawn(task()));
        while (!there)
            std::this_thread::yield();
        ASSERT_TRUE(loop_.run([this] { exchange_->abort(); }));
        const auto got = answer.get_future().get();
        ASSERT_FALSE(got.ok());
        EXPECT_EQ(got.error().code, Code::cancelled) << got.error().message;
    }
};

TEST_F(TlsAbort, in_the_handshake) {
    std::atomic<bool> there = false, left = false;
    const ThreadedListener server([&](int socket) {
        char room[4096];
        EXPECT_GT(::recv(socket, room, sizeof room, 0), 0);
        there = true;
        left = ::recv(socket, room, sizeof room, 0) <= 0;
    });
    abort_when(there, call(server.port()));
    while (!left)
        std::this_thread::yield();
}

TEST_F(TlsAbort, while_the_body_is_sent) {
    std::atomic<bool> there = false, aborted = false, left = false;
    RawTlsServer server(authority_.issue(), [&](RawTlsServer::Peer& peer) {
        char byte;
        EXPECT_EQ(SSL_read(peer.ssl(), &byte, 1), 1);
        there = true;
        aborted.wait(false);  // it reads nothing, so that the client's 20 MB are stuck
        left = peer.read_request().empty();
    });
    abort_when(there, post(server.port(), std::string(20'000'000, 'x')));
    aborted = true;
    aborted.notify_all();
    while (!left)
        std::this_thread::yield();
}

TEST_F(TlsAbort, before_the_answer) {
    std::atomic<bool> there = false, left = false;
    RawTlsServer server(authority_.issue(), [&](RawTlsServer::Peer& peer) {
        peer.read_request();
        there = true;
        left = peer.read_request().empty();
    });
    abort_when(there, call(server.port()));
    while (!left)
        std::this_thread::yield();
}

TEST_F(TlsAbort, in_the_answer) {
    std::atomic<bool> there = false, left = false;
    RawTlsServer server(authority_.issue(), [&](RawTlsServer::Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf");
        there = true;
        left = peer.read_request().empty();
    });
    abort_when(there, call(server.port()));
    while (!left)
        std::this_thread::yield();
}

// --- connections and sessions used again ------------------------------------------------------

TEST_F(TlsBytes, resumes_its_sessions) {
    for (const auto& tune : {std::function<void(SSL_CTX*)>(), std::function(only_1_2)}) {
        RawTlsServer server(
            authority_.issue(),
            [](RawTlsServer::Peer& peer) {
                peer.read_request();
                peer.send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok");
            },
            tune);
        for (int i = 0; i < 5; ++i)
            EXPECT_EQ(body_of(call(server.port())), "ok");
        EXPECT_EQ(server.handshakes(), 5);
        EXPECT_EQ(server.resumed(), 4);
    }
}

TEST_F(TlsBytes, a_session_is_resumed_after_a_call_that_was_cut_short) {
    RawTlsServer server(authority_.issue(), [](RawTlsServer::Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf");
    });
    for (int i = 0; i < 3; ++i)
        EXPECT_FALSE(ask(call(server.port())).ok());
    EXPECT_EQ(server.resumed(), 2);
}

TEST_F(TlsBytes, a_kept_connection_that_the_server_has_ended_is_replaced) {
    std::atomic<int> ended = 0;
    RawTlsServer server(authority_.issue(), [&](RawTlsServer::Peer& peer) {
        peer.read_request();
        peer.answer("one");
        peer.say_goodbye();
        ::shutdown(peer.socket(), SHUT_WR);
        ++ended;
        peer.client_said_goodbye();
    });
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(body_of(call(server.port())), "one");
        while (ended != i + 1)
            std::this_thread::yield();
    }
    EXPECT_EQ(server.handshakes(), 3);
}

}  // namespace
}  // namespace brigada
