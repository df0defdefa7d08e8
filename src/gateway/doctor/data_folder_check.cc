// The data folder: there or to be made, writable, with room, and the pepper beside its directory.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/concat.h"
#include "gateway/doctor/checks.h"

namespace brigada {

namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMegabyte = 1 << 20;
constexpr uintmax_t kLeastRoom = 256 * kMegabyte;  // four segments of the ledger's log
constexpr uintmax_t kGoodRoom = 4'096 * kMegabyte;

/// The folder itself, or the nearest above it that is there.
fs::path existing(fs::path folder) {
    std::error_code failed;
    folder = fs::absolute(folder, failed);
    while (!fs::exists(folder, failed) && folder.has_relative_path())
        folder = folder.parent_path();
    return folder;
}

void check_writable(const fs::path& folder, Findings& findings) {
    const fs::path there = existing(folder);
    std::error_code failed;
    if (!fs::is_directory(there, failed))
        return findings.fault(concat(there.string(), " is no folder"),
                              "move it away, or set brigada.data_dir");
    if (::access(there.c_str(), W_OK | X_OK) != 0)
        return findings.fault(concat(there.string(), " can't be written: ", std::strerror(errno)),
                              concat("give it to this user, or set brigada.data_dir"));
    findings.ok(there == fs::absolute(folder, failed)
                    ? concat(folder.string(), " can be written")
                    : concat(folder.string(), " will be made in ", there.string()));
}

void check_room(const fs::path& folder, Findings& findings) {
    std::error_code failed;
    const fs::space_info room = fs::space(existing(folder), failed);
    if (failed) return findings.warn(concat("free space unknown: ", failed.message()), "look");
    const std::string says = concat(room.available / kMegabyte, " MB are free");
    const std::string mend = "make room: without it, new calls are refused with 503";
    if (room.available < kLeastRoom) return findings.fault(says, mend);
    if (room.available < kGoodRoom) return findings.warn(says, mend);
    findings.ok(says);
}

void check_pepper(const fs::path& folder, Findings& findings) {
    const fs::path pepper = folder / "pepper";
    std::error_code failed;
    struct stat facts{};
    const bool is_there = ::stat(pepper.c_str(), &facts) == 0;
    if (!is_there && fs::exists(folder / "directory.db", failed))
        return findings.fault(
            concat(pepper.string(), " is missing, and no key is known without it"),
            "put it back from a backup");
    if (!is_there) return;
    if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return findings.warn(concat(pepper.string(), " can be read by others"),
                             concat("chmod 600 ", pepper.string()));
    findings.ok(concat(pepper.string(), " is its owner's alone"));
}

}  // namespace

std::string holder_of_data(const GatewayConfig& config) {
    const fs::path lock = config.brigada.data_dir / "ledger" / "lock";
    const int file = ::open(lock.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    std::string holder;
    if (::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        char text[32] = {};
        const ssize_t size = ::read(file, text, sizeof(text) - 1);
        holder = size > 0 ? std::string(text, static_cast<size_t>(size)) : "unknown";
        holder.erase(holder.find_last_not_of(" \n") + 1);
    }
    ::close(file);
    return holder;
}

void check_data_folder(const GatewayConfig& config, Findings& findings) {
    const fs::path folder = config.brigada.data_dir;
    check_writable(folder, findings);
    check_room(folder, findings);
    check_pepper(folder, findings);
    const std::string holder = holder_of_data(config);
    if (!holder.empty()) findings.ok(concat("in use by the gateway with process id ", holder));
}

}  // namespace brigada
