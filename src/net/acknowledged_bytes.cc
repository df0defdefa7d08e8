#include "net/acknowledged_bytes.h"

#include <linux/tcp.h>  // newer than what <netinet/tcp.h> knows
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>

namespace brigada {

namespace {

// The SYN of the end that opened takes a place in the sequence (RFC 9293, 3.4) and is counted.
constexpr uint64_t kSyn = 1;

constexpr size_t kNeeded = offsetof(tcp_info, tcpi_bytes_acked) + sizeof(uint64_t);

}  // namespace

std::optional<uint64_t> acknowledged_bytes(int descriptor) {
    tcp_info info{};
    socklen_t size = sizeof info;
    const int failed = ::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size);
    if (failed || size < kNeeded || info.tcpi_bytes_acked < kSyn) return std::nullopt;
    return info.tcpi_bytes_acked - kSyn;
}

}  // namespace brigada
