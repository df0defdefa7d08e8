// TraceText: the text of a trace file, plain or zstd, line by line or whole. A compressed file is
// unpacked as it is read, so that only one line of it stands in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace brigada {

class TraceText {
  public:
    /// `bytes` outlive it. Error::unsupported for what is packed in another way.
    static Result<TraceText> open(std::string file, std::string_view bytes);

    /// The next line, without its end; nothing after the last. The view holds until the next call.
    /// Error::corrupt when the packed text ends in its middle, ::too_large for an endless line.
    Result<std::optional<std::string_view>> next_line();

    /// All that follows.
    Result<std::string> rest();

    /// The beginning of the text, not taken from it; at least `bytes` of it when there are as many.
    Result<std::string_view> peek(size_t bytes);

    const std::string& file() const { return file_; }
    uint64_t line() const { return line_; }  // of the line last read, from 1
    uint64_t bytes_read() const { return bytes_read_; }

  private:
    class Unpacker;
    struct DeleteUnpacker {
        void operator()(Unpacker* unpacker) const;
    };

    TraceText(std::string file, std::string_view bytes);

    std::string_view waiting() const { return std::string_view(text_).substr(at_); }
    Result<bool> more();  // false at the end

    std::string file_;
    std::string_view left_;  // of a plain file
    std::unique_ptr<Unpacker, DeleteUnpacker> unpacker_;
    std::string text_;
    size_t at_ = 0;  // what of text_ was handed out
    uint64_t line_ = 0;
    uint64_t bytes_read_ = 0;
};

/// Packs a text as one zstd frame, piece by piece.
class Packer {
  public:
    using Sink = std::function<void(std::string_view)>;

    Packer();
    ~Packer();
    Packer(const Packer&) = delete;
    Packer& operator=(const Packer&) = delete;

    void add(std::string_view text, const Sink& sink) { pass(text, false, sink); }
    void end(const Sink& sink) { pass({}, true, sink); }

  private:
    void pass(std::string_view text, bool is_last, const Sink& sink);

    void* stream_;  // a ZSTD_CCtx
};

/// `text` as one zstd frame.
std::string packed(std::string_view text);

}  // namespace brigada
