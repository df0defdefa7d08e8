// A server that closes a kept connection while the next call is on its way, for real: at a random
// moment after its answer, so that the call comes before, between and after.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "net/tls_client_fixture.h"

namespace brigada {
namespace {

constexpr int kCalls = 1'000;
constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

struct Seen {
    std::atomic<int> answered = 0;
    std::atomic<int> dropped = 0;  // had come when the connection was closed, and were not read
};

// Both ways at once: what comes from now on is refused, what had come can be told.
void close_and_look(int socket, Seen& seen) {
    ::shutdown(socket, SHUT_RDWR);
    char byte;
    if (::recv(socket, &byte, 1, MSG_DONTWAIT) > 0) ++seen.dropped;
}

bool read_to(int socket, std::string_view mark) {
    std::string got;
    char room[4'096];
    while (!got.ends_with(mark)) {
        const ssize_t n = ::recv(socket, room, sizeof room, 0);
        if (n <= 0) return false;
        got.append(room, static_cast<size_t>(n));
    }
    return true;
}

void spin(std::chrono::nanoseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
    }
}

class StaleConnection : public TlsClientFixture {
  protected:
    // Answers one call, and closes a little later.
    void serve(int socket) {
        if (!read_to(socket, kEnd)) return;
        ++seen_.answered;
        ::send(socket, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL);
        thread_local std::minstd_rand random{static_cast<unsigned>(seen_.answered)};
        spin(std::chrono::nanoseconds(random() % 100'000));
        close_and_look(socket, seen_);
    }

    // How many calls failed; when the server has seen all it will see.
    int ask_often(const std::string& body) {
        const ThreadedListener server([this](int socket) { serve(socket); });
        HttpCall post = call(server.port(), "127.0.0.1");
        post.tls = nullptr;
        post.body = {body};
        int failed = 0;
        for (int i = 0; i < kCalls; ++i)
            failed += !ask(post).ok();
        return failed;
    }

    static constexpr std::string_view kEnd = "end of the body";
    Seen seen_;
};

TEST_F(StaleConnection, a_post_that_the_server_cannot_have_seen_goes_once_more) {
    for (const size_t size : {0ul, 400'000ul}) {
        seen_.answered = seen_.dropped = 0;
        const int failed = ask_often(std::string(size, 'x').append(kEnd));
        EXPECT_EQ(failed, seen_.dropped) << "of what may have been read nobody knows what became";
        EXPECT_EQ(kCalls - failed, seen_.answered) << "none was read twice";
    }
}

}  // namespace
}  // namespace brigada
