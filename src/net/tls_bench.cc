// CPU time of the client's loop for a POST of 400 KB and for a small one, plain and by TLS, to
// servers in this process; and what the ciphers alone cost, which is the floor. The handshake is
// measured with and without a session to resume. With BRIGADA_BENCH_SINK=HTTP:HTTPS:HTTP2, ports of
// another server, the client calls that as well: next to net_bench's `peer`, an nginx that proxies
// to the same ports, the difference between its columns is what TLS costs there.
#include <benchmark/benchmark.h>
#include <openssl/evp.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>

#include "base/check.h"
#include "net/fake_authority.h"
#include "net/http_client.h"
#include "net/raw_tls_server.h"
#include "net/tls_context.h"

namespace brigada {
namespace {

constexpr int kCallsInOne = 50;  // of one iteration, so that waking the loop costs next to nothing
const std::string kAnswer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

// Reads requests whose body has `body_bytes` and answers each: as little work as can be.
void sink(size_t body_bytes, const std::function<int(char*, int)>& read,
          const std::function<void()>& answer) {
    std::string room(256 * 1024, '\0');
    std::string head;
    for (;;) {
        head.clear();
        size_t end;
        while ((end = head.find("\r\n\r\n")) == std::string::npos) {
            const int n = read(room.data(), static_cast<int>(room.size()));
            if (n <= 0) return;
            head.append(room.data(), static_cast<size_t>(n));
        }
        for (size_t got = head.size() - end - 4; got < body_bytes;) {
            const int n = read(room.data(), static_cast<int>(room.size()));
            if (n <= 0) return;
            got += static_cast<size_t>(n);
        }
        answer();
    }
}

void sink_plain(size_t body_bytes, int socket) {
    sink(
        body_bytes,
        [socket](char* room, int size) {
            return static_cast<int>(::recv(socket, room, static_cast<size_t>(size), 0));
        },
        [socket] { ::send(socket, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL); });
}

void sink_tls(size_t body_bytes, RawTlsServer::Peer& peer) {
    sink(
        body_bytes, [&](char* room, int size) { return SSL_read(peer.ssl(), room, size); },
        [&] { peer.send(kAnswer); });
}

double cpu_seconds() {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

Task<void> post(HttpClient& client, const HttpCall& call, double& used, std::promise<void>& done) {
    const double before = cpu_seconds();
    for (int i = 0; i < kCallsInOne; ++i) {
        HttpExchange exchange(client);
        const auto head = co_await exchange.start(call);
        CHECK(head.ok(), head.error().message);
        CHECK((co_await exchange.read_all(10'000)).ok());
    }
    used += cpu_seconds() - before;
    done.set_value();
}

void measure(benchmark::State& state, HttpCall call, HttpClientOptions options = {}) {
    Loop loop("client");
    std::unique_ptr<HttpClient> client;
    loop.run([&] { client = std::make_unique<HttpClient>(loop, options); });
    const std::string body(static_cast<size_t>(state.range(0)), 'x');
    call.method = HttpMethod::post;
    call.body = {body};
    double used = 0;
    for (auto _ : state) {
        std::promise<void> done;
        CHECK(loop.spawn(post(*client, call, used, done)));
        done.get_future().wait();
    }
    loop.run([&] { client.reset(); });
    const auto calls = static_cast<double>(state.iterations()) * kCallsInOne;
    state.counters["client_cpu_us"] = used * 1e6 / calls;
}

void plain(benchmark::State& state) {
    const auto bytes = static_cast<size_t>(state.range(0));
    const ThreadedListener server([bytes](int socket) { sink_plain(bytes, socket); });
    measure(state, {.host = "localhost", .port = server.port()});
}
BENCHMARK(plain)->Arg(1'000)->Arg(400'000)->UseRealTime()->MinTime(1);

std::shared_ptr<TlsContext> trust(const FakeAuthority& authority) {
    const auto path = std::filesystem::temp_directory_path() / "brigada_tls_bench_ca.pem";
    std::ofstream(path) << authority.pem();
    auto context = TlsContext::open({.ca_file = path.string()});
    std::filesystem::remove(path);
    CHECK(context.ok(), context.error().message);
    return *std::move(context);
}

void tls(benchmark::State& state) {
    const auto bytes = static_cast<size_t>(state.range(0));
    const FakeAuthority authority;
    RawTlsServer server(authority.issue(),
                        [bytes](RawTlsServer::Peer& peer) { sink_tls(bytes, peer); });
    measure(state, {.host = "localhost", .port = server.port(), .tls = trust(authority)});
}
BENCHMARK(tls)->Arg(1'000)->Arg(400'000)->UseRealTime()->MinTime(1);

// A connection for each call: none is kept.
void handshake(benchmark::State& state) {
    const FakeAuthority authority;
    const bool resumes = state.range(1) == 1;
    RawTlsServer server(
        authority.issue(), [](RawTlsServer::Peer& peer) { sink_tls(1'000, peer); },
        [resumes](SSL_CTX* context) {
            if (!resumes) SSL_CTX_set_num_tickets(context, 0);
        });
    measure(state, {.host = "localhost", .port = server.port(), .tls = trust(authority)},
            {.idle_per_host = 0});
}
BENCHMARK(handshake)
    ->ArgNames({"bytes", "resumes"})
    ->Args({1'000, 0})
    ->Args({1'000, 1})
    ->UseRealTime();

// Arguments: bytes of the body; 0 plain, 1 TLS, 2 HTTP/2.
void elsewhere(benchmark::State& state) {
    const char* where = std::getenv("BRIGADA_BENCH_SINK");
    int ports[3] = {};
    if (!where || std::sscanf(where, "%d:%d:%d", &ports[0], &ports[1], &ports[2]) != 3) {
        state.SkipWithError("BRIGADA_BENCH_SINK=HTTP:HTTPS:HTTP2 is not set");
        return;
    }
    const auto which = static_cast<size_t>(state.range(1));
    auto context = TlsContext::open({.verifies = false});
    CHECK(context.ok());
    HttpCall call{.host = "localhost", .port = static_cast<uint16_t>(ports[which])};
    if (which > 0) call.tls = *context;
    measure(state, call, {.offers_http2 = which == 2});
}
BENCHMARK(elsewhere)
    ->ArgNames({"bytes", "how"})
    ->ArgsProduct({{1'000, 400'000}, {0, 1, 2}})
    ->UseRealTime()
    ->MinTime(1);

// 400 KB in records of 16 KB, AES-256-GCM: what TLS_AES_256_GCM_SHA384 cannot do without.
void cipher_alone(benchmark::State& state) {
    const std::string text(16'384, 'x');
    std::string out(text.size() + 16, '\0');
    const unsigned char key[32] = {}, nonce[12] = {};
    EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nullptr, key, nonce);
    for (auto _ : state)
        for (size_t done = 0; done < 400'000; done += text.size()) {
            int size = 0;
            EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, nonce);
            EVP_EncryptUpdate(context, reinterpret_cast<unsigned char*>(out.data()), &size,
                              reinterpret_cast<const unsigned char*>(text.data()),
                              static_cast<int>(text.size()));
            benchmark::DoNotOptimize(out.data());
        }
    EVP_CIPHER_CTX_free(context);
}
BENCHMARK(cipher_alone);

}  // namespace
}  // namespace brigada
