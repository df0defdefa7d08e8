#include "net/chunk_decoder.h"

#include <algorithm>
#include <limits>

#include "net/http_grammar.h"

namespace brigada {

namespace {

constexpr size_t kSizeLineBytes = 256;   // 16 digits and an extension, which is read over
constexpr size_t kTrailerBytes = 8'192;  // all trailer fields, which are checked and dropped

Error bad(std::string message) {
    return {Code::invalid_argument, std::move(message)};
}

// Hexadecimal digits only: no sign, no blanks, no overflow.
Result<uint64_t> parse_chunk_size(std::string_view digits) {
    if (digits.empty()) return bad("a chunk without a size");
    uint64_t value = 0;
    for (char c : digits) {
        const bool decimal = c >= '0' && c <= '9';
        const char letter = static_cast<char>(c | 0x20);
        if (!decimal && (letter < 'a' || letter > 'f'))
            return bad("a chunk size that is no number");
        if (value > std::numeric_limits<uint64_t>::max() >> 4) return bad("a chunk size over 2^64");
        value = value << 4 | static_cast<uint64_t>(decimal ? c - '0' : letter - 'a' + 10);
    }
    return value;
}

}  // namespace

Result<ChunkDecoder::Step> ChunkDecoder::next(std::string_view bytes) {
    if (state_ == State::done) return Step{};
    if (state_ == State::data) {
        const auto size = static_cast<size_t>(std::min<uint64_t>(missing_, bytes.size()));
        missing_ -= size;
        if (missing_ == 0) state_ = State::data_end;
        return Step{size, bytes.substr(0, size)};
    }
    const LineReader::Step step = lines_.next(bytes, line_budget());
    if (step.state == LineReader::State::too_long) return bad("a chunk's framing is too long");
    if (step.state == LineReader::State::bare_lf) return bad("a line of chunk framing without CR");
    if (step.state == LineReader::State::line) TRY(take_line(step.line));
    return Step{step.used, {}};
}

size_t ChunkDecoder::line_budget() const {
    if (state_ == State::size) return kSizeLineBytes;
    if (state_ == State::data_end) return 2;
    return kTrailerBytes - trailer_bytes_;
}

Result<void> ChunkDecoder::take_line(std::string_view line) {
    if (state_ == State::size) return begin_chunk(line);
    if (state_ == State::data_end) {
        state_ = State::size;  // two bytes that are a line are CRLF
        return {};
    }
    if (line.empty()) {
        state_ = State::done;
        return {};
    }
    HttpHeaders dropped;
    TRY(parse_field_line(line, dropped));
    trailer_bytes_ += line.size() + 2;
    if (trailer_bytes_ + 2 > kTrailerBytes) return bad("a chunk's trailer is too long");
    return {};
}

Result<void> ChunkDecoder::begin_chunk(std::string_view line) {
    const size_t end = std::min(line.find(';'), line.size());
    for (char c : line.substr(end))
        if (static_cast<unsigned char>(c) < 0x20 && c != '\t')
            return bad("a control character in a chunk extension");
    TRY(missing_, parse_chunk_size(line.substr(0, end)));
    state_ = missing_ == 0 ? State::trailers : State::data;
    return {};
}

}  // namespace brigada
