// The body of TinyHub; it is named _test so that it is linked into tests only.
#include "hub/tiny_hub.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>

namespace brigada {

namespace {

std::string read_head(const FileDescriptor& connection) {
    std::string head;
    char buffer[4096];
    while (head.find("\r\n\r\n") == std::string::npos) {
        const ssize_t n = ::recv(connection.get(), buffer, sizeof buffer, 0);
        if (n <= 0) return {};
        head.append(buffer, static_cast<size_t>(n));
    }
    return head;
}

TinyHub::Request parse(std::string_view head) {
    TinyHub::Request request;
    const size_t path = head.find(' ') + 1;
    request.path = head.substr(path, head.find(' ', path) - path);
    for (size_t line = head.find("\r\n") + 2; line < head.size();) {
        const size_t end = head.find("\r\n", line);
        const std::string_view field = head.substr(line, end - line);
        if (const size_t colon = field.find(": "); colon != std::string_view::npos) {
            std::string name(field.substr(0, colon));
            for (char& c : name)
                c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            request.headers[name] = field.substr(colon + 2);
        }
        line = end + 2;
    }
    return request;
}

void send_all(const FileDescriptor& connection, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::send(connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n <= 0) return;  // the client went away
        bytes.remove_prefix(static_cast<size_t>(n));
    }
}

}  // namespace

size_t TinyHub::Request::from() const {
    const auto range = headers.find("range");
    return range == headers.end() ? 0 : std::stoul(range->second.substr(6));  // "bytes=N-"
}

TinyHub::TinyHub(Handler handler)
    : handler_(std::move(handler)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    auto* address = reinterpret_cast<sockaddr*>(&place);
    CHECK(::bind(listener_.get(), address, size) == 0 && ::listen(listener_.get(), 16) == 0);
    CHECK(::getsockname(listener_.get(), address, &size) == 0);
    port_ = ntohs(place.sin_port);
    thread_ = std::thread([this] { serve(); });
}

TinyHub::~TinyHub() {
    stopping_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);  // accept() returns
    thread_.join();
}

std::string TinyHub::address() const {
    return concat("http://127.0.0.1:", port_);
}

std::vector<TinyHub::Request> TinyHub::requests() const {
    std::lock_guard lock(mutex_);
    return requests_;
}

void TinyHub::serve() {
    while (!stopping_) {
        const FileDescriptor connection(::accept(listener_.get(), nullptr, nullptr));
        if (connection.is_open()) answer_one(connection);
    }
}

void TinyHub::answer_one(const FileDescriptor& connection) {
    const std::string head = read_head(connection);
    if (head.empty()) return;
    const Request request = parse(head);
    {
        std::lock_guard lock(mutex_);
        requests_.push_back(request);
    }
    const Answer answer = handler_(request);
    std::string out = concat("HTTP/1.1 ", answer.status, " -\r\nconnection: close\r\n",
                             "content-length: ", answer.body.size(), "\r\n");
    for (const std::string& header : answer.headers)
        out += header + "\r\n";
    send_all(connection, out + "\r\n" + answer.body.substr(0, answer.cut_after));
}

TinyHub::Answer TinyHub::file(const Request& request, std::string_view bytes,
                              std::string_view etag) {
    Answer answer{.headers = {concat("etag: \"", etag, "\"")}};
    const size_t from = request.from();
    if (from >= bytes.size() && from > 0) return {.status = 416};
    answer.body = bytes.substr(from);
    if (from == 0) return answer;
    answer.status = 206;
    answer.headers.push_back(
        concat("content-range: bytes ", from, "-", bytes.size() - 1, "/", bytes.size()));
    return answer;
}

}  // namespace brigada
