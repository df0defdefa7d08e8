// PartFile: a file on its way. It grows as <target>.part with its checksum running, can be taken up
// again after a crash, and becomes <target> in one rename once it is whole and its checksum right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "hub/disk.h"
#include "hub/sha256.h"

namespace brigada {

class PartFile {
  public:
    /// Takes up what an earlier try left, or begins. Whoever calls holds the model's lock.
    /// Error::io.
    static Result<PartFile> open(const Path& target);

    uint64_t bytes() const { return bytes_; }

    /// Which version of the file the bytes so far are of, as the server named it; empty if it did
    /// not.
    const std::string& version() const { return version_; }

    /// Forgets all bytes and begins again, as that version. Error::io.
    Result<void> restart(std::string_view version);

    /// Error::io: the disk is full or broken; what arrived stays for the next try.
    Result<void> append(std::string_view bytes);

    /// Puts the file in its place and returns its checksum. `sha256` may be empty when none is
    /// known. Error::corrupt when it differs: then the bytes are thrown away. Error::io.
    Result<std::string> finish(std::string_view sha256);

  private:
    PartFile(Path target, FileDescriptor file)
        : target_(std::move(target)), file_(std::move(file)) {}

    Path part() const { return target_.string() + ".part"; }
    Path version_file() const { return target_.string() + ".part.version"; }
    Result<void> read_what_is_there();

    Path target_;
    FileDescriptor file_;
    Sha256 sum_;
    uint64_t bytes_ = 0;
    std::string version_;
};

}  // namespace brigada
