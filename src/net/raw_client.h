// RawClient: a blocking socket for tests, which sends exactly the bytes it is given and knows as
// little of HTTP as can be, so that it shares no mistake with the server. Every wait ends after ten
// seconds.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

namespace brigada {

class RawClient {
  public:
    explicit RawClient(uint16_t port, int receive_buffer = 0) {
        socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
        if (receive_buffer > 0)
            ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        const int yes = 1;  // what is sent leaves now, in the pieces the test chose
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }
    ~RawClient() { close(); }
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    bool connected() const { return connected_; }

    /// False when the peer does not take it all.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) return false;
            bytes.remove_prefix(static_cast<size_t>(n));
        }
        return true;
    }

    /// Reads until `mark` has come; what came up to and with it. Short at the end or after ten
    /// seconds.
    std::string read_until(std::string_view mark) {
        size_t from = 0;
        size_t found;
        while ((found = kept_.find(mark, from)) == std::string::npos) {
            from = kept_.size() - std::min(kept_.size(), mark.size());
            if (!receive()) return std::exchange(kept_, {});
        }
        return take(found + mark.size());
    }

    std::string read_exactly(size_t size) {
        while (kept_.size() < size && receive()) {
        }
        return take(std::min(size, kept_.size()));
    }

    /// Everything up to the peer's end.
    std::string read_all() {
        while (receive()) {
        }
        return std::exchange(kept_, {});
    }

    /// One response with a Content-Length, head and body.
    std::string read_response() {
        const std::string head = read_until("\r\n\r\n");
        const size_t field = head.find("content-length: ");
        if (field == std::string::npos) return head;
        return head + read_exactly(std::stoul(head.substr(field + 16)));
    }

    /// Whether the peer ends the connection (now, or within ten seconds) without another byte.
    bool ended() { return kept_.empty() && !receive() && ended_; }

    void half_close() { ::shutdown(socket_, SHUT_WR); }
    void close() {
        if (socket_ >= 0) ::close(socket_);
        socket_ = -1;
    }

  private:
    std::string take(size_t size) {
        std::string out = kept_.substr(0, size);
        kept_.erase(0, size);
        return out;
    }

    bool receive() {
        pollfd wait{socket_, POLLIN, 0};
        if (::poll(&wait, 1, 10'000) <= 0) return false;
        char room[65'536];
        const ssize_t n = ::recv(socket_, room, sizeof room, 0);
        ended_ = n == 0 || (n < 0 && errno == ECONNRESET);
        if (n <= 0) return false;
        kept_.append(room, static_cast<size_t>(n));
        return true;
    }

    int socket_ = -1;
    bool connected_ = false;
    bool ended_ = false;
    std::string kept_;
};

inline int status_of(std::string_view response) {
    if (!response.starts_with("HTTP/1.1 ") || response.size() < 12) return 0;
    return std::stoi(std::string(response.substr(9, 3)));
}

inline std::string body_of(std::string_view response) {
    const size_t end = response.find("\r\n\r\n");
    return end == std::string_view::npos ? std::string() : std::string(response.substr(end + 4));
}

}  // namespace brigada
