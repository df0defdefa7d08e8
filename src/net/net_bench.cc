// CPU time of the server's thread per request, over loopback: small requests and agents' bodies of
// 400 KB. With BRIGADA_BENCH_PEER=PORT:PID the same client drives another server (nginx with one
// worker, say) in the same run, so that the ratio means something on a shared machine.
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "base/check.h"
#include "net/http_server.h"

namespace brigada {
namespace {

const std::string kAnswer(1024, 'a');

class Client {
  public:
    explicit Client(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int yes = 1;
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        CHECK(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }
    ~Client() { ::close(socket_); }

    void ask(std::string_view request) {
        while (!request.empty()) {
            const ssize_t n = ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
            CHECK(n > 0);
            request.remove_prefix(static_cast<size_t>(n));
        }
        std::string response;
        size_t head = std::string::npos;
        while (head == std::string::npos || response.size() < head + 4 + kAnswer.size()) {
            char room[8192];
            const ssize_t n = ::recv(socket_, room, sizeof room, 0);
            CHECK(n > 0);
            response.append(room, static_cast<size_t>(n));
            head = response.find("\r\n\r\n");
        }
    }

  private:
    int socket_;
};

double loop_cpu_seconds(Loop& loop) {
    timespec used{};
    loop.run([&] { ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used); });
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// The first number of /proc/PID/schedstat: nanoseconds the process's first thread has run.
double process_cpu_seconds(int pid) {
    std::ifstream in(concat("/proc/", pid, "/schedstat"));
    double ns = 0;
    CHECK(in >> ns, "no process ", pid);
    return ns * 1e-9;
}

std::string request_of(size_t body_bytes) {
    if (body_bytes == 0) return "GET /small HTTP/1.1\r\nHost: a\r\n\r\n";
    return concat("POST /agent HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n",
                  "Content-Length: ", body_bytes, "\r\n\r\n", std::string(body_bytes, 'x'));
}

void serve(benchmark::State& state) {
    Loop loop("server");
    const auto server = HttpServer::listen(
        loop, "127.0.0.1", 0, {}, [](HttpRequest&, Responder& responder) -> Task<void> {
            co_await responder.send(200, {{"content-type", "application/json"}}, kAnswer);
        });
    CHECK(server.ok());
    const std::string request = request_of(static_cast<size_t>(state.range(0)));
    Client client((*server)->port());
    client.ask(request);
    const double before = loop_cpu_seconds(loop);
    for (auto _ : state)
        client.ask(request);
    state.counters["server_cpu_us"] = benchmark::Counter((loop_cpu_seconds(loop) - before) * 1e6,
                                                         benchmark::Counter::kAvgIterations);
}
BENCHMARK(serve)->Arg(0)->Arg(400'000)->UseRealTime()->MinTime(2);

void peer(benchmark::State& state) {
    const char* where = std::getenv("BRIGADA_BENCH_PEER");
    int port = 0, pid = 0;
    if (!where || std::sscanf(where, "%d:%d", &port, &pid) != 2) {
        state.SkipWithError("BRIGADA_BENCH_PEER=PORT:PID is not set");
        return;
    }
    const std::string request = request_of(static_cast<size_t>(state.range(0)));
    Client client(static_cast<uint16_t>(port));
    client.ask(request);
    const double before = process_cpu_seconds(pid);
    for (auto _ : state)
        client.ask(request);
    state.counters["server_cpu_us"] = benchmark::Counter((process_cpu_seconds(pid) - before) * 1e6,
                                                         benchmark::Counter::kAvgIterations);
}
BENCHMARK(peer)->Arg(0)->Arg(400'000)->UseRealTime()->MinTime(2);

}  // namespace
}  // namespace brigada
