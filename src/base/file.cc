#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace brigada {

namespace {

/// An open descriptor, closed on every path.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }

  private:
    int fd_;
};

Error system_error(const Path& path, std::string_view doing) {
    const Code code = errno == ENOENT ? Code::not_found : Code::io;
    return {code, concat(path.string(), ": ", doing, ": ", std::strerror(errno))};
}

Result<size_t> size_of(const Descriptor& fd, const Path& path) {
    struct stat info{};
    if (::fstat(fd.get(), &info) != 0) return system_error(path, "cannot read its size");
    if (!S_ISREG(info.st_mode))
        return Error{Code::invalid_argument, concat(path.string(), ": not a regular file")};
    return static_cast<size_t>(info.st_size);
}

}  // namespace

Result<std::string> read_file(const Path& path, size_t max_bytes) {
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) return system_error(path, "cannot open");
    TRY(size_t size, size_of(fd, path));
    if (size > max_bytes)
        return Error{Code::too_large,
                     concat(path.string(), ": ", size, " bytes; at most ", max_bytes, " are read")};
    std::string out(size, '\0');
    size_t done = 0;
    while (done < size) {
        const ssize_t n = ::read(fd.get(), out.data() + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return system_error(path, "cannot read");
        if (n == 0) break;  // it shrank while being read
        done += static_cast<size_t>(n);
    }
    out.resize(done);
    return out;
}

Result<Mapping> Mapping::open(const Path& path) {
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) return system_error(path, "cannot open");
    TRY(size_t size, size_of(fd, path));
    if (size == 0) return Mapping(nullptr, 0);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data == MAP_FAILED) return system_error(path, "cannot map");
    return Mapping(static_cast<const std::byte*>(data), size);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

Mapping::~Mapping() {
    if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace brigada
