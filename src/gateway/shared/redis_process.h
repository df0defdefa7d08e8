// RedisProcess: a redis-server of a test's own, on a port of the loopback, with nothing on disk,
// and on a second one by TLS when it gets a certificate.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "gateway/shared/redis_value.h"

extern char** environ;

namespace brigada {

class RedisProcess {
  public:
    /// Files of PEM.
    struct Tls {
        std::string certificate = {};
        std::string key = {};
    };

    RedisProcess() : port_(free_port()) { start(); }
    explicit RedisProcess(Tls tls) : port_(free_port()), tls_port_(free_port()), tls_(tls) {
        start();
    }
    ~RedisProcess() { kill(); }
    RedisProcess(const RedisProcess&) = delete;
    RedisProcess& operator=(const RedisProcess&) = delete;

    uint16_t port() const { return port_; }
    uint16_t tls_port() const { return tls_port_; }

    void start() {
        std::vector<std::string> words{
            "redis-server", "--port", std::to_string(port_), "--bind",   "127.0.0.1", "--save", "",
            "--appendonly", "no",     "--logfile",           "/dev/null"};
        if (tls_port_ > 0)
            words.insert(words.end(), {"--tls-port", std::to_string(tls_port_), "--tls-cert-file",
                                       tls_.certificate, "--tls-key-file", tls_.key,
                                       "--tls-auth-clients", "no"});
        std::vector<char*> arguments;
        for (std::string& word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        CHECK(::posix_spawnp(&process_, "redis-server", nullptr, nullptr, arguments.data(),
                             environ) == 0,
              "redis-server is not installed; tools/packages.txt names it");
        while ((socket_ = connect()) < 0)
            ::poll(nullptr, 0, 10);
    }

    void kill() {
        if (process_ <= 0) return;
        ::close(socket_);
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
        process_ = 0;
    }

    /// One command, and its answer.
    RedisValue ask(std::vector<std::string> words) {
        std::string bytes;
        append_command(words, bytes);
        CHECK(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
              static_cast<ssize_t>(bytes.size()));
        for (;;) {
            auto next = reader_.next();
            CHECK(next.ok());
            if (*next) return std::move(**next);
            char room[4096];
            const ssize_t n = ::recv(socket_, room, sizeof(room), 0);
            CHECK(n > 0, "redis-server has ended");
            reader_.feed({room, static_cast<size_t>(n)});
        }
    }

  private:
    static sockaddr_in address(uint16_t port) {
        sockaddr_in out{};
        out.sin_family = AF_INET;
        out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        out.sin_port = htons(port);
        return out;
    }

    static uint16_t free_port() {
        const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in at = address(0);
        socklen_t size = sizeof(at);
        CHECK(::bind(socket, reinterpret_cast<sockaddr*>(&at), size) == 0);
        CHECK(::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size) == 0);
        ::close(socket);
        return ntohs(at.sin_port);
    }

    int connect() const {
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in at = address(port_);
        if (::connect(socket, reinterpret_cast<sockaddr*>(&at), sizeof(at)) == 0) return socket;
        ::close(socket);
        return -1;
    }

    uint16_t port_;
    uint16_t tls_port_ = 0;
    Tls tls_;
    pid_t process_ = 0;
    int socket_ = -1;
    RedisReader reader_;
};

}  // namespace brigada
