#include "trace/trace_text.h"

#include <zstd.h>

#include <algorithm>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

constexpr size_t kPiece = 256 << 10;
constexpr size_t kLongestLine = 512 << 20;
constexpr size_t kLongestText = size_t(4) << 30;
constexpr int kLevel = 12;  // the corpus of Claude Code takes 0.8 MB

constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr std::string_view kGzipMagic = "\x1f\x8b";

}  // namespace

class TraceText::Unpacker {
  public:
    explicit Unpacker(std::string_view bytes)
        : stream_(ZSTD_createDStream()), in_{bytes.data(), bytes.size(), 0} {
        CHECK(stream_ != nullptr);
    }
    ~Unpacker() { ZSTD_freeDStream(stream_); }

    /// Appends the next piece; false at the end.
    Result<bool> more(std::string& text) {
        if (in_.pos == in_.size && left_in_frame_ == 0) return false;
        const size_t before = text.size();
        text.resize(before + kPiece);
        ZSTD_outBuffer out{text.data() + before, kPiece, 0};
        const bool at_end = in_.pos == in_.size;
        left_in_frame_ = ZSTD_decompressStream(stream_, &out, &in_);
        text.resize(before + out.pos);
        if (ZSTD_isError(left_in_frame_))
            return Error{Code::corrupt,
                         concat("not zstd any more: ", ZSTD_getErrorName(left_in_frame_))};
        if (at_end && out.pos == 0 && left_in_frame_ != 0)
            return Error{Code::corrupt, "the zstd text ends in its middle; is the file cut short?"};
        return true;
    }

  private:
    ZSTD_DStream* stream_;
    ZSTD_inBuffer in_;
    size_t left_in_frame_ = 0;
};

void TraceText::DeleteUnpacker::operator()(Unpacker* unpacker) const {
    delete unpacker;
}

TraceText::TraceText(std::string file, std::string_view bytes)
    : file_(std::move(file)), left_(bytes) {
    if (bytes.starts_with(kZstdMagic)) {
        left_ = {};
        unpacker_.reset(new Unpacker(bytes));
    }
}

Result<TraceText> TraceText::open(std::string file, std::string_view bytes) {
    if (bytes.starts_with(kGzipMagic))
        return Error{
            Code::unsupported,
            concat(file, ": packed with gzip; plain text and zstd can be read: gunzip it")};
    return TraceText(std::move(file), bytes);
}

Result<bool> TraceText::more() {
    text_.erase(0, at_);
    at_ = 0;
    if (!unpacker_) {
        const std::string_view piece = left_.substr(0, kPiece);
        left_.remove_prefix(piece.size());
        bytes_read_ += piece.size();
        text_ += piece;
        return !piece.empty();
    }
    const size_t before = text_.size();
    Result<bool> there = unpacker_->more(text_);
    if (!there.ok()) return std::move(there).error().in(concat(file_, ", after line ", line_));
    bytes_read_ += text_.size() - before;
    return there;
}

Result<std::optional<std::string_view>> TraceText::next_line() {
    size_t searched = 0;
    size_t end = waiting().find('\n');
    while (end == std::string_view::npos) {
        searched = waiting().size();
        if (searched > kLongestLine)
            return Error{Code::too_large, concat(file_, ", line ", line_ + 1, ": over ",
                                                 kLongestLine >> 20, " MiB long")};
        TRY(const bool there, more());
        if (!there) break;
        end = waiting().find('\n', searched);
    }
    if (end == std::string_view::npos && waiting().empty())
        return std::optional<std::string_view>();
    std::string_view line = waiting().substr(0, end);
    at_ += std::min(line.size() + 1, waiting().size());
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return std::optional(line);
}

Result<std::string> TraceText::rest() {
    for (;;) {
        TRY(const bool there, more());
        if (!there) break;
        if (text_.size() > kLongestText)
            return Error{Code::too_large,
                         concat(file_, ": one JSON text of over ", kLongestText >> 30, " GiB")};
    }
    std::string all(waiting());
    text_.clear();
    at_ = 0;
    return all;
}

Result<std::string_view> TraceText::peek(size_t bytes) {
    while (waiting().size() < bytes) {
        TRY(const bool there, more());
        if (!there) break;
    }
    return waiting();
}

Packer::Packer() : stream_(ZSTD_createCCtx()) {
    CHECK(stream_ != nullptr);
    auto* context = static_cast<ZSTD_CCtx*>(stream_);
    CHECK(!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kLevel)));
    CHECK(!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)));
}

Packer::~Packer() {
    ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(stream_));
}

void Packer::pass(std::string_view text, bool is_last, const Sink& sink) {
    std::string piece(ZSTD_CStreamOutSize(), '\0');
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    const ZSTD_EndDirective how = is_last ? ZSTD_e_end : ZSTD_e_continue;
    for (;;) {
        ZSTD_outBuffer out{piece.data(), piece.size(), 0};
        const size_t left = ZSTD_compressStream2(static_cast<ZSTD_CCtx*>(stream_), &out, &in, how);
        CHECK(!ZSTD_isError(left), ZSTD_getErrorName(left));
        if (out.pos > 0) sink(std::string_view(piece).substr(0, out.pos));
        if (is_last ? left == 0 : in.pos == in.size) return;
    }
}

std::string packed(std::string_view text) {
    std::string out;
    const auto append = [&](std::string_view piece) { out += piece; };
    Packer packer;
    packer.add(text, append);
    packer.end(append);
    return out;
}

}  // namespace brigada
