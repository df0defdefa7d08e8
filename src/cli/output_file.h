// OutputFile: a file that a command writes when its work is done. It is opened before, so that a
// mistyped folder is told before minutes of work are spent; what lay there is kept until then.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace brigada {

class OutputFile {
  public:
    /// "" writes nowhere, "-" to standard output. Error::io names the path and what the system
    /// said.
    static Result<OutputFile> open(const std::filesystem::path& path);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    /// A new file to which nothing was written is taken away again.
    ~OutputFile();

    /// `text`, and nothing else, is what the file holds.
    Result<void> write(std::string_view text);

    /// The same piece by piece. What fails is told by finish(), and nothing is added after it.
    void add(std::string_view piece);
    Result<void> finish();

  private:
    explicit OutputFile(std::filesystem::path path) : path_(std::move(path)) {}

    void begin();
    bool to_standard_output() const { return path_ == "-"; }
    Error failure(int error) const;

    std::filesystem::path path_;
    int fd_ = -1;
    bool is_left_over_ = false;  // new, and nothing is in it
    bool begun_ = false;
    int error_ = 0;  // of the first call of the system that failed
};

/// Opens, writes and closes.
Result<void> write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace brigada
