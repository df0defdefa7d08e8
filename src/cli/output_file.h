// OutputFile: a file that a command writes when its work is done. It is opened before, so that a
// mistyped folder is told before minutes of work are spent; what lay there is kept until then.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace brigada {

class OutputFile {
  public:
    /// "" writes nowhere. Error::io names the path and what the system said.
    static Result<OutputFile> open(const std::filesystem::path& path);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    /// A new file to which nothing was written is taken away again.
    ~OutputFile();

    /// `text`, and nothing else, is what the file holds.
    Result<void> write(std::string_view text);

  private:
    OutputFile(std::filesystem::path path, int fd, bool is_new)
        : path_(std::move(path)), fd_(fd), is_left_over_(is_new) {}

    Error failed() const;

    std::filesystem::path path_;
    int fd_ = -1;
    bool is_left_over_ = false;  // new, and nothing is in it
};

/// Opens, writes and closes.
Result<void> write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace brigada
