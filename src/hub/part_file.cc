#include "hub/part_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace brigada {

namespace {
constexpr size_t kLongestVersion = 4096;
}

Result<PartFile> PartFile::open(const Path& target) {
    TRY(make_folders(target.parent_path()));
    const Path path = target.string() + ".part";
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!file.is_open()) return disk_error(path, "cannot create", errno);
    PartFile part(target, std::move(file));
    TRY(part.read_what_is_there());
    return part;
}

Result<void> PartFile::read_what_is_there() {
    std::vector<char> buffer(1 << 20);
    for (;;) {
        const ssize_t n = ::read(file_.get(), buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return disk_error(part(), "cannot read", errno);
        if (n == 0) break;
        sum_.update({buffer.data(), static_cast<size_t>(n)});
        bytes_ += static_cast<uint64_t>(n);
    }
    if (Result<std::string> version = read_file(version_file(), kLongestVersion))
        version_ = *std::move(version);
    return {};
}

Result<void> PartFile::restart(std::string_view version) {
    if (::ftruncate(file_.get(), 0) != 0) return disk_error(part(), "cannot empty", errno);
    sum_ = Sha256();
    bytes_ = 0;
    version_ = version;
    return write_durably(version_file(), version_);
}

Result<void> PartFile::append(std::string_view bytes) {
    TRY(write_all(file_, part(), bytes));
    sum_.update(bytes);
    bytes_ += bytes.size();
    return {};
}

Result<std::string> PartFile::finish(std::string_view sha256) {
    std::string sum = sum_.hex();
    if (!sha256.empty() && sum != sha256) {
        ::unlink(part().c_str());
        ::unlink(version_file().c_str());
        return Error{Code::corrupt,
                     concat(target_.filename().string(), ": the checksum is wrong: sha256 ", sum,
                            ", expected ", sha256, "; the bytes were thrown away, pull again")};
    }
    if (::fsync(file_.get()) != 0) return disk_error(part(), "cannot sync", errno);
    if (::rename(part().c_str(), target_.c_str()) != 0)
        return disk_error(target_, "cannot put in place", errno);
    ::unlink(version_file().c_str());
    TRY(sync_folder(target_.parent_path()));
    return sum;
}

}  // namespace brigada
