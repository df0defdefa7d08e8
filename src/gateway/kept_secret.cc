#include "gateway/kept_secret.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr size_t kShortest = 16;

Error cannot(std::string_view what, const Path& path) {
    return {Code::io, concat("can't ", what, " ", path.string(), ": ", std::strerror(errno))};
}

Result<void> write_new_file(const Path& path, std::string_view text) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return cannot("make", path);
    const bool written =
        ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(file) == 0;
    ::close(file);
    if (!written) return cannot("write", path);
    return {};
}

}  // namespace

Result<std::string> read_or_make_secret(const Path& file, const RandomBytes& random) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) TRY(write_new_file(file, make_key_text(random)));
    TRY(std::string secret, read_file(file, 4'096));
    while (!secret.empty() && static_cast<unsigned char>(secret.back()) <= ' ')
        secret.pop_back();  // an editor's line end
    if (secret.size() < kShortest)
        return Error{Code::corrupt, concat(file.string(),
                                           ": too short to be a secret; restore it "
                                           "from a backup")};
    return secret;
}

}  // namespace brigada
