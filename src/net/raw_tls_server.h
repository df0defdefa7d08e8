// RawTlsServer: a blocking TLS server for tests, which does what its script says, on a thread for
// each connection. It speaks TLS by OpenSSL's plain calls and shares no code with ours. Every wait
// ends after ten seconds.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/concat.h"
#include "net/fake_authority.h"
#include "net/openssl_handles.h"

namespace brigada {

/// A listening socket of 127.0.0.1 and a thread for each connection.
class ThreadedListener {
  public:
    using Serve = std::function<void(int socket)>;

    explicit ThreadedListener(Serve serve) : serve_(std::move(serve)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
        CHECK(::listen(listener_, 64) == 0);
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        acceptor_ = std::thread([this] { accept_all(); });
    }
    ~ThreadedListener() {
        ::shutdown(listener_, SHUT_RDWR);
        acceptor_.join();
        end_all();
        for (std::thread& thread : threads_)
            thread.join();
        ::close(listener_);
    }
    ThreadedListener(const ThreadedListener&) = delete;
    ThreadedListener& operator=(const ThreadedListener&) = delete;

    uint16_t port() const { return port_; }

    static void prepare(int socket) {
        const timeval patience{.tv_sec = 10, .tv_usec = 0};
        ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        const int yes = 1;  // what is sent leaves now, in the pieces the test chose
        ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }

  private:
    void end_all() {
        const std::lock_guard lock(mutex_);
        for (const int socket : open_)
            ::shutdown(socket, SHUT_RDWR);
    }
    void accept_all() {
        for (;;) {
            const int socket = ::accept(listener_, nullptr, nullptr);
            if (socket < 0) return;
            prepare(socket);
            {
                const std::lock_guard lock(mutex_);
                open_.push_back(socket);
            }
            threads_.emplace_back([this, socket] {
                serve_(socket);
                const std::lock_guard lock(mutex_);
                std::erase(open_, socket);
                ::close(socket);
            });
        }
    }

    Serve serve_;
    int listener_ = -1;
    uint16_t port_ = 0;
    std::thread acceptor_;
    std::vector<std::thread> threads_;  // the acceptor's
    std::mutex mutex_;
    std::vector<int> open_;  // sockets being served
};

class RawTlsServer {
  public:
    /// One connection of it.
    class Peer {
      public:
        Peer(SSL* ssl, int socket) : ssl_(ssl), socket_(socket) {}

        /// Reads one request with its Content-Length body; "" when the client has left.
        std::string read_request() {
            size_t end;
            while ((end = kept_.find("\r\n\r\n")) == std::string::npos)
                if (!receive()) return "";
            const size_t field = kept_.find("content-length: ");
            const size_t body = field < end ? std::stoul(kept_.substr(field + 16)) : 0;
            while (kept_.size() < end + 4 + body)
                if (!receive()) return "";
            std::string out = kept_.substr(0, end + 4 + body);
            kept_.erase(0, out.size());
            return out;
        }
        bool send(std::string_view bytes, size_t record = 16'384) {
            while (!bytes.empty()) {
                const std::string_view part = bytes.substr(0, record);
                if (SSL_write(ssl_, part.data(), static_cast<int>(part.size())) <= 0) return false;
                bytes.remove_prefix(part.size());
            }
            return true;
        }
        bool answer(std::string_view body, size_t record = 16'384) {
            return send(concat("HTTP/1.1 200 OK\r\ncontent-length: ", body.size(), "\r\n\r\n"),
                        record) &&
                   send(body, record);
        }
        void say_goodbye() { SSL_shutdown(ssl_); }
        /// Waits for the client to leave; whether it said so.
        bool client_said_goodbye() {
            while (receive()) {
            }
            return (SSL_get_shutdown(ssl_) & SSL_RECEIVED_SHUTDOWN) != 0;
        }
        void reset() {
            const linger now{.l_onoff = 1, .l_linger = 0};
            ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        }
        SSL* ssl() { return ssl_; }
        int socket() const { return socket_; }

      private:
        bool receive() {
            char room[65'536];
            const int n = SSL_read(ssl_, room, sizeof room);
            if (n <= 0) return false;
            kept_.append(room, static_cast<size_t>(n));
            return true;
        }

        SSL* ssl_;
        int socket_;
        std::string kept_;
    };
    using Script = std::function<void(Peer&)>;

    /// `tune` changes the server's context before the first connection.
    RawTlsServer(const Identity& identity, Script script,
                 const std::function<void(SSL_CTX*)>& tune = nullptr)
        : context_(SSL_CTX_new(TLS_server_method())),
          script_(std::move(script)),
          listener_([this](int socket) { serve(socket); }) {
        ::signal(SIGPIPE, SIG_IGN);  // OpenSSL's own sockets send alerts to whom has left
        SSL_CTX_use_certificate(context_.get(), identity.certificate.get());
        SSL_CTX_use_PrivateKey(context_.get(), identity.key.get());
        static constexpr unsigned char kName[] = "brigada";
        SSL_CTX_set_session_id_context(context_.get(), kName, sizeof kName);
        if (tune) tune(context_.get());
        ready_ = true;
        ready_.notify_all();
    }

    uint16_t port() const { return listener_.port(); }
    int handshakes() const { return handshakes_; }
    int resumed() const { return resumed_; }

  private:
    void serve(int socket) {
        ready_.wait(false);
        const SslHandle ssl(SSL_new(context_.get()));
        SSL_set_fd(ssl.get(), socket);
        if (SSL_accept(ssl.get()) != 1) {
            ERR_clear_error();
            return;
        }
        ++handshakes_;
        resumed_ += SSL_session_reused(ssl.get());
        Peer peer(ssl.get(), socket);
        script_(peer);
    }

    SslContextHandle context_;
    Script script_;
    std::atomic<bool> ready_ = false;
    std::atomic<int> handshakes_ = 0;
    std::atomic<int> resumed_ = 0;
    ThreadedListener listener_;
};

}  // namespace brigada
